import { expect, test } from 'vitest';
import { type Mode, toListing } from './mode.js';
import { channels, findMode, modes } from './modes.js';

const count = (wanted: string): number => modes.filter(({ channel }) => channel === wanted).length;
const stepsOf = ({ expect: expected }: Mode): string =>
  Object.keys(expected)
    .toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))
    .join(' ');
const ORDER = ['connect', 'signIn', 'afterwards', 'list', 'call', 'next', 'counts', 'told', 'shown', 'eager'];

test('every mode has a name of its own and says in one line what it does', () => {
  expect(new Set(modes.map(({ name }) => name)).size).toBe(modes.length);
  for (const { name, summary } of modes) {
    expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/u);
    expect(summary).toMatch(/^[a-z][^\n]{4,100}[^.]$/u);
  }
});

test('there are modes over every channel and of both eras, and a good server over each', () => {
  expect(channels.map((channel) => count(channel) > 100)).toEqual([true, true, true, true]);
  expect(modes.filter(({ era }) => era === 'modern').length).toBeGreaterThan(200);
  expect(modes.filter(({ name }) => name.startsWith('good-')).map(({ name }) => name)).toEqual([
    'good-stdio',
    'good-modern-stdio',
    'good-http-json',
    'good-http-sse',
    'good-modern-http-json',
    'good-modern-http-sse',
    'good-sse',
    'good-ws',
  ]);
});

test('every mode says what a right host makes of it: a failure with its text, or every step', () => {
  const walked = 'connect list call next counts';
  const signedIn = ['connect signIn counts', 'connect signIn afterwards counts'];
  const steps = ['connect counts', walked, `${walked} told`, `${walked} shown`, `${walked} eager`, ...signedIn];
  expect(new Set(modes.map(stepsOf))).toEqual(new Set(steps));
});

test('a mode as data survives JSON', () => {
  const listings = modes.map(toListing);
  expect(JSON.parse(JSON.stringify(listings))).toEqual(listings);
  expect(listings.find(({ name }) => name === 'status-404-session')).toEqual({
    name: 'status-404-session',
    channel: 'http',
    summary: 'forgets the session once',
    expect: {
      connect: 'ok',
      list: { kind: 'lists', has: ['echo', 'attack', 'report'], lacks: [], when: 'in time' },
      call: { kind: 'answers', text: '^survived', when: 'in time' },
      next: 'ok',
      counts: [
        { what: 'initialize', least: 2, most: 2 },
        { what: 'tools/call attack', least: 2, most: 2 },
      ],
    },
  });
});

test.each([
  ['json-bomb', 'Did you mean: plugboard attack json-bom'],
  ['sse-dups', 'Did you mean: plugboard attack sse-dup'],
  ['nothing like it', 'plugboard attack --list'],
])('a mode that does not exist, %s, gives the hint %s', (name, hint) => {
  expect(() => findMode(name)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});
