import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatLock, isFault, type LockedServer, parseLock } from './lock.js';

const PIN = `sha256-${'0'.repeat(64)}`;
const server = { tools: { a: PIN }, prompts: {} };
const lock = (servers: unknown): unknown => ({ version: 1, servers });

test.each<[string, unknown]>([
  ['a list', []],
  ['no version', { servers: {} }],
  ['another version', { version: 2, servers: {} }],
  ['a version that is a text', { version: '1', servers: {} }],
  ['no servers', { version: 1 }],
  ['servers in a list', lock([])],
])('a lock with %s is not taken for one that pins nothing', (_, value) => {
  expect(isFault(parseLock(value))).toBe(true);
});

test.each<[string, unknown, readonly string[]]>([
  ['nothing in it', null, []],
  ['no tools', { prompts: {} }, ['tools']],
  ['no prompts', { tools: {} }, ['prompts']],
  ['tools in a list', { ...server, tools: [PIN] }, ['tools']],
  ['a pin that is none', { ...server, tools: { a: PIN, b: 'sha256-' } }, ['tools', 'b']],
  ['a pin that is switched off', { ...server, tools: { a: null } }, ['tools', 'a']],
  ['a pin in capitals', { ...server, prompts: { p: PIN.toUpperCase() } }, ['prompts', 'p']],
  ['instructions that are a text', { ...server, instructions: 'Do it' }, ['instructions']],
  ['an entry that is none', { ...server, entry: 1 }, ['entry']],
  ['a package without a version', { ...server, package: { name: 'x' } }, ['package']],
])('a server with %s is closed, with the place of the mistake, and its neighbour is not', (_, value, place) => {
  const parsed = parseLock(lock({ bad: value, good: server }));
  expect(parsed).toMatchObject({ servers: expect.any(Map) });
  const { servers } = parsed as Extract<typeof parsed, { servers: unknown }>;
  expect(servers.get('bad')).toMatchObject({ path: ['servers', 'bad', ...place] });
  expect(servers.get('good')).toMatchObject({ tools: new Map([['a', PIN]]) });
});

const pin = fc
  .string({
    unit: fc.constantFrom(...Array.from({ length: 16 }, (_, digit) => digit.toString(16))),
    minLength: 64,
    maxLength: 64,
  })
  .map((hex) => `sha256-${hex}`);
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '10', 'ä', '\u202e', '"'));
const pins = fc.array(fc.tuple(name, pin)).map((entries) => new Map(entries));
const short = fc.string({ minLength: 1 });
const locked: fc.Arbitrary<LockedServer> = fc.record({
  entry: fc.option(pin, { nil: undefined }),
  package: fc.option(
    fc.oneof(fc.record({ name: short, version: short }), fc.record({ name: short, version: short, integrity: short })),
    { nil: undefined },
  ),
  instructions: fc.option(pin, { nil: undefined }),
  tools: pins,
  prompts: pins,
});

test('what is written is read again, whatever its names, and written the same to the byte', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, locked), { maxLength: 5 }), (entries) => {
      const servers = new Map(entries);
      const text = formatLock(servers);
      const parsed = parseLock(JSON.parse(text));
      expect(parsed).toEqual({ servers });
      expect(formatLock(new Map([...servers].toReversed()))).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('each pin stands on a line of its own, in the order of its name', () => {
  const text = formatLock(
    new Map([
      ['b', { entry: undefined, package: undefined, instructions: undefined, tools: new Map(), prompts: new Map() }],
      [
        'a',
        {
          entry: PIN,
          package: { name: 'x', version: '1' },
          instructions: PIN,
          tools: new Map([
            ['z', PIN],
            ['1', PIN],
            ['Z', PIN],
          ]),
          prompts: new Map(),
        },
      ],
    ]),
  );
  expect(text.replaceAll(PIN, 'PIN')).toBe(`{
  "version": 1,
  "servers": {
    "a": {
      "entry": "PIN",
      "package": {
        "name": "x",
        "version": "1"
      },
      "instructions": "PIN",
      "tools": {
        "1": "PIN",
        "Z": "PIN",
        "z": "PIN"
      },
      "prompts": {}
    },
    "b": {
      "tools": {},
      "prompts": {}
    }
  }
}
`);
});
