import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareSchema } from './check.js';
import { Fuel } from './fuel.js';
import { fitsSimply, toSimpleSchema } from './simple-schema.js';

const runs = process.env['PLUGBOARD_FULL'] ? 50_000 : 3_000;

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'length');
const types = fc.constantFrom('null', 'boolean', 'object', 'array', 'integer', 'number', 'string', 'date', 7);
const bound = fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constantFrom<unknown>(0.5, '1', null));

const { schema: schemas } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    fc.constantFrom<unknown>(true, true, false, {}, null, []),
    fc.record(
      {
        $schema: fc.constantFrom(
          'https://json-schema.org/draft/2020-12/schema',
          'http://json-schema.org/draft-07/schema#',
          'http://json-schema.org/draft-04/schema#',
        ),
        type: fc.oneof({ weight: 4, arbitrary: types }, fc.array(types, { maxLength: 3 })),
        enum: fc.array(fc.oneof(fc.string({ maxLength: 1 }), fc.constant(1)), { maxLength: 3 }),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
        required: fc.array(names, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        minLength: bound,
        maxLength: bound,
        minItems: bound,
        maxItems: bound,
        minimum: bound,
        maximum: bound,
        description: fc.string(),
        default: fc.integer(),
        format: fc.constantFrom('email', 'date', 'uri', 'ipv4'),
        const: fc.constant('a'),
        pattern: fc.constant('^a$'),
        $ref: fc.constant('#'),
        not: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));
/** Of one or two keywords, so that most of them are read in the simple form. */
const smallSchemas = fc
  .tuple(schemas, fc.nat(), fc.nat())
  .map(([schema, ...at]) =>
    typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? pick(schema, at) : schema,
  );
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    fc.constantFrom<unknown>(null, true, 0, 1, 4, 0.5, -1, 1e308, '', 'a', '😀', '😀😀', undefined, Number.NaN),
    fc.string({ maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
}));

test('what the short check lets through, the full check of the schema lets through as well', () => {
  let fitting = 0;
  fc.assert(
    fc.property(fc.oneof(schemas, smallSchemas), values, (schema, value) => {
      const simple = toSimpleSchema(schema);
      if (simple === undefined || fitsSimply(simple, value) === 0) return;
      fitting++;
      expect(prepareSchema(schema)(value, new Fuel(1_000_000))).toEqual({ kind: 'valid' });
    }),
    { numRuns: runs },
  );
  expect(fitting).toBeGreaterThan(runs / 20);
});

test('the short check looks at a thousand values at most, and does not go deeper than the schema', () => {
  const list = toSimpleSchema({ type: 'array', items: { type: 'integer' } })!;
  expect(
    fitsSimply(
      list,
      Array.from({ length: 500 }, (_, at) => at),
    ),
  ).toBe(501);
  expect(
    fitsSimply(
      list,
      Array.from({ length: 5_000 }, (_, at) => at),
    ),
  ).toBe(0);
  let deep: unknown = {};
  for (let depth = 0; depth < 50; depth++) deep = { type: 'object', properties: { a: deep } };
  expect(toSimpleSchema(deep)).toBeUndefined();
});

function pick(schema: object, at: readonly number[]): object {
  const fields = Object.entries(schema);
  return Object.fromEntries(fields.length === 0 ? [] : at.map((index) => fields[index % fields.length]!));
}
