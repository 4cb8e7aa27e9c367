import { expect, test } from 'vitest';
import type { Clock } from '../model/clock.js';
import { systemClock } from './clock.js';
import { SchemaChecker } from './schema-checker.js';
import { computedMs } from '../../test/computed.js';

// On a shared machine a stall may be caused by others; the long tests run on a quiet one.
const STALL_MS = process.env['PLUGBOARD_FULL'] ? 50 : 250;
const ATTEMPTS = 3; // a stall caused by others comes and goes, one of ours comes each time

const many = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => make(index));
const named = <Item>(length: number, make: (index: number) => Item): Record<string, Item> =>
  Object.fromEntries(many(length, (index) => [`k${index}`, make(index)]));

function nested(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/** Each of 20 levels refers to the next one twice: 2^20 paths. */
const doubling = (keyword: string): unknown => ({
  $ref: '#/$defs/k0',
  $defs: {
    ...named(20, (index) => ({ [keyword]: many(2, () => ({ $ref: `#/$defs/k${index + 1}` })) })),
    k20: { type: 'string' },
  },
});

interface Hostile {
  readonly schema: () => unknown;
  readonly value: () => unknown;
  /** The correct result, if there is one; a check may end without it, but never with the opposite. */
  readonly truth?: 'valid' | 'invalid';
}

const hostile: Record<string, Hostile> = {
  'a pattern that backtracks': {
    schema: () => ({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(31)}!`,
    truth: 'invalid',
  },
  'a pattern that backtracks over 1 MB': {
    schema: () => ({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(1_000_000)}!`,
    truth: 'invalid',
  },
  'a pattern with nested counts': {
    schema: () => ({ pattern: `${'(?:x{0,1000}){1}'.repeat(60)}$` }),
    value: () => 'x'.repeat(2_000),
    truth: 'valid',
  },
  'a look-around at every place': {
    schema: () => ({ pattern: '^((?=(a*)*$)a)*c$' }),
    value: () => 'a'.repeat(1_000_000),
    truth: 'invalid',
  },
  'look-arounds in each other': {
    schema: () => ({ pattern: '(?='.repeat(90) + 'a' + ')'.repeat(90) }),
    value: () => 'b'.repeat(1_000_000),
    truth: 'invalid',
  },
  'a plain pattern with a long tail': {
    schema: () => ({ pattern: `^a*${'a'.repeat(90)}b$` }),
    value: () => 'a'.repeat(1_000_000),
    truth: 'invalid',
  },
  'a class of 9,000 ranges': {
    schema: () => ({ pattern: `[${String.fromCodePoint(...many(9_000, (index) => 300 + index * 2))}]` }),
    value: () => 'a'.repeat(1_000),
    truth: 'invalid',
  },
  '2,000 Unicode properties': {
    schema: () => ({ pattern: '\\p{L}'.repeat(2_000) }),
    value: () => 'é'.repeat(5_000),
    truth: 'valid',
  },
  '5,000 plain patterns': {
    schema: () => ({ allOf: many(5_000, (index) => ({ pattern: `^[a-z${index}]+$` })) }),
    value: () => 'abc',
    truth: 'valid',
  },
  'a name that makes a pattern backtrack': {
    schema: () => ({ patternProperties: { '^(a|a)+$': false } }),
    value: () => ({ [`${'a'.repeat(5_000)}!`]: 1 }),
    truth: 'valid',
  },
  '1,000 patterns for 10,000 names': {
    schema: () => ({ patternProperties: Object.fromEntries(many(1_000, (index) => [`(x|y)*${index}z`, true])) }),
    value: () => named(10_000, () => 1),
    truth: 'valid',
  },
  '2^20 anyOf': { schema: () => doubling('anyOf'), value: () => 1, truth: 'invalid' },
  '2^20 allOf': { schema: () => doubling('allOf'), value: () => 'x', truth: 'valid' },
  '2^20 oneOf': { schema: () => doubling('oneOf'), value: () => 1, truth: 'invalid' },
  'a schema that is itself': { schema: () => ({ $ref: '#' }), value: () => 1 },
  'a schema that is any of itself': {
    schema: () => ({ anyOf: [{ $ref: '#' }, { $ref: '#' }] }),
    value: () => 1,
  },
  'a dynamic reference to itself': {
    schema: () => ({ $dynamicAnchor: 'a', $dynamicRef: '#a' }),
    value: () => 1,
  },
  '100,000 unique numbers': {
    schema: () => ({ uniqueItems: true }),
    value: () => many(100_000, (index) => index),
    truth: 'valid',
  },
  '100,000 unique objects': {
    schema: () => ({ uniqueItems: true }),
    value: () => many(100_000, (index) => ({ index, deep: [index] })),
    truth: 'valid',
  },
  '1,000 unique texts of 10 KB': {
    schema: () => ({ uniqueItems: true }),
    value: () => many(1_000, (index) => 'x'.repeat(10_000) + index),
    truth: 'valid',
  },
  'an enum of 40,000': {
    schema: () => ({ enum: many(40_000, (index) => `v${index}`) }),
    value: () => 'x',
    truth: 'invalid',
  },
  'an enum of 20,000 objects': {
    schema: () => ({ enum: many(20_000, (index) => ({ index })) }),
    value: () => ({ index: -1 }),
    truth: 'invalid',
  },
  'a constant of 100,000 nodes': {
    schema: () => ({ const: many(50_000, (index) => [index]) }),
    value: () => many(50_000, (index) => [index]),
    truth: 'valid',
  },
  '10,000 properties': {
    schema: () => ({
      properties: named(10_000, () => ({ type: 'integer' })),
      required: Object.keys(named(10_000, () => 1)),
      additionalProperties: false,
    }),
    value: () => named(10_000, (index) => index),
    truth: 'valid',
  },
  '10,000 properties that are missing': {
    schema: () => ({ required: Object.keys(named(10_000, () => 1)) }),
    value: () => ({}),
    truth: 'invalid',
  },
  '1,000 alternatives of 10,000 properties': {
    schema: () => ({ anyOf: many(1_000, () => ({ additionalProperties: { type: 'string' } })) }),
    value: () => named(10_000, () => 1),
    truth: 'invalid',
  },
  '1,000 alternatives for 1,000 items': {
    schema: () => ({ items: { oneOf: many(1_000, (index) => ({ const: index })) } }),
    value: () => many(1_000, (index) => index),
    truth: 'valid',
  },
  '3,000 alternatives, each wrong in ten ways': {
    schema: () => ({ anyOf: many(3_000, (index) => ({ required: many(10, (name) => `${index}-${name}`) })) }),
    value: () => ({}),
    truth: 'invalid',
  },
  'unevaluated properties of 2,000 alternatives': {
    schema: () => ({ anyOf: many(2_000, () => ({ properties: named(40, () => true) })), unevaluatedProperties: false }),
    value: () => named(2_000, () => 1),
    truth: 'invalid',
  },
  'an object of 50,000 names, listed 100 times': {
    schema: () => ({ allOf: many(100, () => ({ minProperties: 1 })) }),
    value: () => named(50_000, () => 1),
    truth: 'valid',
  },
  'a schema 512 deep': {
    schema: () => nested(512, (a) => ({ properties: { a }, additionalProperties: false }), { type: 'string' }),
    value: () => nested(512, (a) => ({ a }), 1),
    truth: 'invalid',
  },
  'a schema 100,000 deep': {
    schema: () => nested(100_000, (not) => ({ not }), true),
    value: () => 1,
    truth: 'valid',
  },
  'a schema 100,000 deep that must be searched for an anchor': {
    schema: () => ({ $ref: '#a', not: nested(100_000, (not) => ({ not }), true) }),
    value: () => 1,
  },
  'a value 512 deep along a reference': {
    schema: () => ({ items: { $ref: '#' } }),
    value: () => nested(512, (inner) => [inner], []),
    truth: 'valid',
  },
  'a value 100,000 deep': {
    schema: () => ({ items: { $ref: '#' } }),
    value: () => nested(100_000, (inner) => [inner], []),
    truth: 'valid',
  },
  'a value 100,000 deep in an enum': {
    schema: () => ({ enum: [[]] }),
    value: () => nested(100_000, (inner) => [inner], []),
    truth: 'invalid',
  },
  'a length beyond numbers': { schema: () => ({ minLength: 1e308 }), value: () => 'x', truth: 'invalid' },
  'the length of 8 MB': {
    schema: () => ({ maxLength: 5_000_000 }),
    value: () => '🙂'.repeat(4_000_000),
    truth: 'valid',
  },
  'a choice of 8 MB': {
    schema: () => ({ enum: ['a', 'b'] }),
    value: () => 'x'.repeat(8_000_000),
    truth: 'invalid',
  },
  'multiples of the smallest number': {
    schema: () => ({ items: { multipleOf: 5e-324 } }),
    value: () => many(10_000, (index) => 1e308 - index * 1e300),
    truth: 'valid',
  },
  '5,000 addresses, each below the last': {
    schema: () => ({ $ref: 'x', $defs: nested(5_000, (inner) => ({ a: { $id: 'abcdefgh/', $defs: inner } }), {}) }),
    value: () => 1,
  },
  '2,000 references along 2,000 steps': {
    schema: () => ({ allOf: many(2_000, (index) => ({ $ref: `#${'/allOf/0'.repeat(1_000)}/${index}` })) }),
    value: () => 1,
  },
  '50,000 items that contain nothing': {
    schema: () => ({ contains: { contains: { const: 1 } } }),
    value: () => many(50_000, () => [0, 0, 0, 0]),
    truth: 'invalid',
  },
  '500,000 rows': {
    schema: () => ({ items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } }),
    value: () => many(500_000, (id) => ({ id })),
    truth: 'valid',
  },
  'names of 1 MB': {
    schema: () => ({ additionalProperties: false, properties: named(50, () => true) }),
    value: () => Object.fromEntries(many(20, (index) => [`${'x'.repeat(1_000_000)}${index}`, 1])),
    truth: 'invalid',
  },
  'names from the prototype': {
    schema: () =>
      JSON.parse(
        '{"properties":{"__proto__":{"type":"object"},"constructor":{"properties":{"prototype":{"type":"string"}}}}}',
      ) as unknown,
    value: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as unknown,
    truth: 'invalid',
  },
};

interface Measured<Result> {
  readonly result: Result;
  /** The longest computation between two ticks of another timer, in milliseconds. */
  readonly stall: number;
}

async function measure<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  const beats: number[] = [];
  const neighbour = setInterval(() => beats.push(computedMs()), 1);
  // The timer must have fired before, or there is no start to measure from.
  await until(() => beats.length > 3);
  beats.splice(0, beats.length - 1);
  const result = await work();
  const before = beats.length;
  await until(() => beats.length > before + 2);
  clearInterval(neighbour);
  return { result, stall: Math.max(...beats.slice(1).map((beat, index) => beat - beats[index]!)) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setImmediate(resolve));
}

test('the measurement sees a stall', async () => {
  const { stall } = await measure(async () => {
    const end = computedMs() + 60;
    while (computedMs() < end);
  });
  expect(stall).toBeGreaterThanOrEqual(55);
});

test.each(Object.entries(hostile))('%s does not stall anything else', async (_what, each) => {
  const input = [each.schema(), each.value()] as const;
  const stalls: number[] = [];
  for (let count = 0; count < ATTEMPTS && !(Math.min(...stalls) < STALL_MS); count++) {
    const checker = new SchemaChecker();
    const { result: outcome, stall } = await measure(() => checker.check(...input));
    expect([each.truth, 'unchecked']).toContain(outcome.kind);
    stalls.push(stall);
  }
  expect(Math.min(...stalls)).toBeLessThan(STALL_MS);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

const slow = (): object => doubling('allOf') as object;
/** Time stands still, so that only the budget counts, not a busy machine. */
const still: Clock = { ...systemClock, monotonic: () => 0 };

test('a hundred slow checks at once take turns, and the ones that would wait too long are not made', async () => {
  const checker = new SchemaChecker();
  const schemas = many(100, slow);
  const { result, stall } = await measure(() => Promise.all(schemas.map((schema) => checker.check(schema, 'x'))));
  expect(new Set(result.map(({ kind }) => kind))).toEqual(new Set(['unchecked']));
  expect(stall).toBeLessThan(STALL_MS * 2);
});

test('a healthy check beside a slow one is answered', async () => {
  const checker = new SchemaChecker(still);
  const [first, second] = await Promise.all([checker.check(slow(), 'x'), checker.check({ type: 'string' }, 1)]);
  expect(first).toMatchObject({ kind: 'unchecked', reason: 'The check takes too long for this schema and this value' });
  expect(second).toEqual({ kind: 'invalid', issues: [{ path: '', message: 'must be string, is integer' }] });
});

test('a schema that was too slow three times in a row is not tried again, and its neighbours are', async () => {
  const checker = new SchemaChecker(still);
  const schema = slow();
  for (let count = 0; count < 3; count++) await checker.check(schema, 'x');
  expect(await checker.check(schema, 'x')).toEqual({
    kind: 'unchecked',
    reason: 'Checks of this schema took too long 3 times in a row',
  });
  expect(await checker.check({ type: 'string' }, 'x')).toEqual({ kind: 'valid' });
});

test('a schema whose issues take too long to list is still checked, however often', async () => {
  const checker = new SchemaChecker(still);
  const schema = { anyOf: many(1_000, (index) => ({ required: many(10, (name) => `${index}-${name}`) })) };
  for (let count = 0; count < 5; count++) expect(await checker.check(schema, {})).toMatchObject({ kind: 'invalid' });
});

test('what waited for its turn too long, or finds too many waiting, is left unchecked', async () => {
  let now = 0;
  const turns: (() => void)[] = [];
  const clock: Clock = { ...systemClock, monotonic: () => now, soon: (run) => void turns.push(run) };
  const checker = new SchemaChecker(clock);
  await checker.check(slow(), 'x');
  const waiting = many(1_000, () => checker.check({}, 1));
  expect(await checker.check({}, 1)).toMatchObject({ kind: 'unchecked', reason: expect.stringContaining('waiting') });
  now = 101;
  while (turns.length > 0) turns.shift()!();
  expect(await Promise.all(waiting)).toEqual(many(1_000, () => expect.objectContaining({ kind: 'unchecked' })));
  expect(await checker.check({}, 1)).toEqual({ kind: 'valid' });
});

test('a machine that is too slow for a check gives up in time', async () => {
  let now = 0;
  const checker = new SchemaChecker({ ...systemClock, monotonic: () => (now += 20) });
  const rows = { items: { type: 'integer' } };
  expect(
    await checker.check(
      rows,
      many(20_000, (index) => index),
    ),
  ).toMatchObject({ kind: 'unchecked' });
  expect(await checker.check(rows, [1])).toEqual({ kind: 'valid' });
});

test('schemas that are no objects have an outcome too', async () => {
  const checker = new SchemaChecker();
  expect(await checker.check(true, 1)).toEqual({ kind: 'valid' });
  expect(await checker.check('string', 1)).toMatchObject({ kind: 'unchecked' });
  expect(await checker.check(null, 1)).toMatchObject({ kind: 'unchecked' });
  const trap = new Proxy({}, { getOwnPropertyDescriptor: bite, get: bite, has: bite, ownKeys: bite });
  expect(await checker.check(trap, 1)).toEqual({ kind: 'unchecked', reason: 'The check failed: bite' });
});

function bite(): never {
  throw new Error('bite');
}
