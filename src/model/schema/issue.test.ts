import { expect, test } from 'vitest';
import { prepareSchema, type SchemaOutcome } from './check.js';
import { Fuel } from './fuel.js';

function outcomeOf(schema: unknown, value: unknown): SchemaOutcome {
  return prepareSchema(schema)(value, new Fuel(1_500_000));
}

const block = {
  oneOf: [
    { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } }, required: ['type', 'text'] },
    { type: 'object', properties: { type: { const: 'image' }, data: { type: 'string' } }, required: ['type', 'data'] },
  ],
};

test.each<[what: string, schema: unknown, value: unknown, issues: [path: string, message: string][]]>([
  ['a wrong type', { type: ['string', 'null'] }, 1, [['', 'must be string or null, is integer']]],
  [
    'two things',
    { properties: { a: { type: 'string' }, b: { minimum: 3 } } },
    { a: 1, b: 2 },
    [
      ['/a', 'must be string, is integer'],
      ['/b', 'must be at least 3'],
    ],
  ],
  ['a missing property', { required: ['a', 'b'] }, { a: 1 }, [['', 'must have the property "b"']]],
  [
    'a mistyped property',
    { properties: { path: {}, mode: {} }, additionalProperties: false },
    { paht: '' },
    [['', 'must not have the property "paht" (did you mean "path"?)']],
  ],
  [
    'a place deep within',
    { properties: { 'a/b': { items: { properties: { '~': { const: 1 } } } } } },
    { 'a/b': [{}, { '~': 2 }] },
    [['/a~1b/1/~0', 'must be 1']],
  ],
  ['a choice', { enum: ['a', 'b', 3] }, 'c', [['', 'must be "a", "b" or 3']]],
  ['a long choice', { enum: [1, 2, 3, 4, 5, 6, 7] }, 8, [['', 'must be 1, 2, 3, 4 or 5, or one of 2 more']]],
  [
    'alternatives of different types',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    1,
    [['', 'must be string or null, is integer']],
  ],
  [
    'the alternative that was meant, by its type',
    { anyOf: [{ type: 'null' }, { type: 'object', required: ['a'] }] },
    {},
    [['', 'must have the property "a"']],
  ],
  [
    'the alternative that was meant, by its name',
    block,
    { type: 'image', data: 1 },
    [['/data', 'must be string, is integer']],
  ],
  ['no alternative', block, { type: 'video' }, [['', 'must fit one of 2 alternatives, and fits none']]],
  ['a text that does not match', { pattern: '^a$' }, 'secret', [['', 'must match the pattern "^a$"']]],
  ['items', { minItems: 2, uniqueItems: true }, [1], [['', 'must have at least 2 items, has 1']]],
  ['a schema that forbids', { properties: { a: false } }, { a: 1 }, [['/a', 'must not be here']]],
])('%s: the issue names the place and what is expected there', (_what, schema, value, issues) => {
  expect(outcomeOf(schema, value)).toEqual({
    kind: 'invalid',
    issues: issues.map(([path, message]) => ({ path, message })),
  });
});

test('of many issues ten are told, each short, and nothing hidden reaches the screen', () => {
  const evil = `\u001b[31m${'x'.repeat(1_000_000)}\u202e`;
  const names = Array.from({ length: 50 }, (_, index) => `${index}${evil}`);
  const outcome = outcomeOf(
    { required: names, additionalProperties: false },
    Object.fromEntries(names.map((n) => [`!${n}`, n])),
  );
  if (outcome.kind !== 'invalid') throw new Error(`The outcome is ${outcome.kind}`);
  expect(outcome.issues).toHaveLength(10);
  for (const { path, message } of outcome.issues) {
    expect(message.length).toBeLessThanOrEqual(200);
    expect(path.length).toBeLessThanOrEqual(200);
    for (const hidden of ['\u001b', '\u202e']) expect(path + message).not.toContain(hidden);
  }
});

test('what a value holds is never repeated in an issue', () => {
  const schema = { type: 'object', properties: { token: { enum: ['a'], maxLength: 3, pattern: '^b', const: 'c' } } };
  expect(JSON.stringify(outcomeOf(schema, { token: 'sk-secret' }))).not.toContain('secret');
});
