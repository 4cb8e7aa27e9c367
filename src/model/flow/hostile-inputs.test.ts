import { expect, test } from 'vitest';
import { computedMs } from '../../../test/computed.js';
import { ConversationFlow } from './conversation-flow.js';
import { Symbols } from './symbols.js';

/** Characters of a hostile text; the long version takes a megabyte. */
const SIZE = process.env['PLUGBOARD_FULL'] === undefined ? 250_000 : 1_000_000;
const LIMIT_MS = 3_000; // ten times what the slowest of these takes
const NOTE = Array.from({ length: 20_000 }, (_, at) => `The ${(at * 7_919) % 10_007}th clause binds both sides.`).join(
  ' ',
);

function fill(text: string): string {
  return text.repeat(Math.ceil(SIZE / text.length));
}

function openFlow(...texts: string[]): ConversationFlow {
  const flow = new ConversationFlow(new Symbols());
  flow.read({ source: { server: 'web', tool: 'fetch' }, isOutside: true, isForeign: false, texts: ['A page.'] });
  flow.read({ source: { server: 'notes', tool: 'read' }, isOutside: false, isForeign: false, texts });
  return flow;
}

function nested(): string {
  return Array.from(
    { length: 3_000 },
    (_, at) => `${Buffer.from(`words in base64 ${at} text`).toString('base64')}! `,
  ).join('');
}

function find(flow: ConversationFlow, value: unknown) {
  const sink = { server: 'web', tool: 'send', isClosed: false, isForeign: false };
  return flow.find(sink, { value }, { mode: 'ask', allow: [], ownAllow: [] });
}

test.each<readonly [string, unknown]>([
  ['base64 in lines of one letter', 'A'.repeat(30) + fill('\nA')],
  ['base64 in labels of one letter', 'A'.repeat(30) + fill('.A')],
  ['words that are nearly base64', fill(`${'a'.repeat(23)} `)],
  ['many short parts of base64', fill('QUJDREVGR0hJSktMTU5PUFFS ')],
  ['escapes', fill('%41')],
  ['escapes of escapes', fill('%25')],
  ['hyphens', fill('-')],
  ['slashes', fill('a/')],
  ['hex with blanks', fill('ab ')],
  ['nearly hex', fill(`${'ab'.repeat(15)}z`)],
  ['openings of tags', fill('<a')],
  ['entities', fill('&#65;')],
  ['openings of lists', fill('[\n')],
  ['nested objects', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`],
  ['backslashes', fill('\\')],
  ['emojis', fill('🔥')],
  ['numbers of items', fill('1. \n')],
  [
    'copies without blanks, with a letter between',
    NOTE.replaceAll(/\W/gu, '')
      .match(/.{1,50}/gu)!
      .join('QQ'),
  ],
  ['copies in many values', NOTE.match(/.{1,60}/gu)!.flatMap((part) => [part, 'zzz'])],
  ['as many values as an input may have', Array.from({ length: SIZE / 5 }, (_, at) => `v${at}`)],
  [
    'base64 in base64, over values of three letters',
    Buffer.from(nested())
      .toString('base64')
      .match(/.{1,3}/gu),
  ],
  [
    'copies under a name of a megabyte',
    { ['x'.repeat(1_000_000)]: NOTE.match(/.{1,60}/gu)!.map((part) => Buffer.from(part).toString('base64')) },
  ],
  ['values with base64', Array.from({ length: SIZE / 25 }, () => 'QUJDREVGR0hJSktMTU5PUFFS')],
])('hostile text is compared in bounded time: %s', (_, value) => {
  const flow = openFlow(NOTE, 'password=harbour-Kite-93');
  const before = computedMs();
  const found = find(flow, value);
  expect(computedMs() - before).toBeLessThan(LIMIT_MS);
  expect([undefined, 'copy', 'fault']).toContain(found?.kind);
});

test.each<readonly [string, string]>([
  ['tokens', Array.from({ length: 20_000 }, (_, at) => `password=aaaaaaaaaaaaaaaa${at}`).join('\n')],
  ['users and hosts', fill('://a:b@')],
  ['names of passwords', fill('password: ')],
  ['names in quotes', fill('"password":"')],
  ['beginnings of keys', fill('-----BEGIN PRIVATE KEY-----')],
  ['paths', fill('a/')],
  ['openings of lists', fill('[\n')],
])('hostile text is read in bounded time: %s', (_, text) => {
  const before = computedMs();
  openFlow(text);
  expect(computedMs() - before).toBeLessThan(LIMIT_MS);
});

test('letters that two servers repeat without end cost no more than those of one', () => {
  const texts = Array.from('abcdefghijklmnop', (letter) => letter.repeat(SIZE / 16));
  const flow = new ConversationFlow(new Symbols());
  const before = computedMs();
  for (const server of ['web', 'notes', 'web'])
    flow.read({ source: { server, tool: 'read' }, isOutside: true, isForeign: false, texts });
  expect(computedMs() - before).toBeLessThan(LIMIT_MS);
  expect(flow.fingerprintCount).toBe(2 * texts.length);
});

test('secrets that all begin alike are found in bounded time', () => {
  const flow = openFlow(Array.from({ length: 9_000 }, (_, at) => `password=aaaaaaaaaaaaaaaa${at}`).join('\n'));
  const before = computedMs();
  find(flow, fill('a'));
  expect(computedMs() - before).toBeLessThan(LIMIT_MS);
  expect(find(flow, 'aaaaaaaaaaaaaaaa77')?.copies[0]?.isSecret).toBe(true);
});

test('what is beyond the bounds is asked about, and never passes in silence', () => {
  const long = openFlow('A note.');
  for (const value of [
    'x '.repeat(1_500_000),
    Array.from({ length: 200_001 }, () => 1),
    '%25'.repeat(Math.ceil(2_000_000 / 3)),
  ]) {
    expect(find(long, value)?.kind).toBe('fault');
  }
  expect(find(openFlow('x '.repeat(2_500_000)), 'x')?.kind).toBe('fault');
});
