import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareSchema, type SchemaOutcome } from './check.js';
import { Fuel } from './fuel.js';

const runs = process.env['PLUGBOARD_FULL'] ? 50_000 : 2_000;

test('whatever the schema and the value, there is an outcome, within bounds, and nothing else changes', () => {
  const keywords = [
    '$ref',
    '$id',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$recursiveRef',
    '$recursiveAnchor',
    '$schema',
    '$defs',
    'definitions',
    'type',
    'enum',
    'const',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'multipleOf',
    'minLength',
    'maxLength',
    'pattern',
    'format',
    'items',
    'prefixItems',
    'additionalItems',
    'contains',
    'minContains',
    'maxContains',
    'uniqueItems',
    'minItems',
    'properties',
    'patternProperties',
    'additionalProperties',
    'required',
    'propertyNames',
    'minProperties',
    'dependencies',
    'dependentRequired',
    'dependentSchemas',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'unevaluatedItems',
    'unevaluatedProperties',
  ];
  const scalar = fc.oneof(
    fc.constantFrom<unknown>(
      '#',
      '#/$defs/a',
      '#a',
      'a',
      'http://a.test/x',
      '__proto__',
      '^(a+)+$',
      '(a)\\1',
      'string',
      'object',
      'array',
      'number',
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      true,
      false,
      null,
      0,
      1,
      2,
      -1,
      1e308,
      0.1,
    ),
    fc.json().map((text): unknown => JSON.parse(text)),
  );
  const { schema: schemas } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 's' },
      fc.boolean(),
      fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 5 }),
    ),
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 's' },
      scalar,
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '^a', 'c'), tie('schema'), { maxKeys: 3 }),
    ),
  }));
  const values = fc.oneof(
    fc.json().map((text): unknown => JSON.parse(text)),
    fc.anything(),
    fc.constantFrom({ a: 1, b: ['a'] }, ['a', 'a', 1], 'aaa', 4),
  );
  const before = Object.getOwnPropertyNames(Object.prototype);
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const fuel = new Fuel(200_000);
      const outcome = prepareSchema(schema)(value, fuel);
      expect(outcome).toSatisfy(isOutcome);
      expect(fuel.spent).toBeLessThan(500_000);
    }),
    { numRuns: runs },
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
});

function isOutcome(outcome: SchemaOutcome): boolean {
  switch (outcome.kind) {
    case 'valid':
      return true;
    case 'invalid':
      return outcome.issues.length > 0 && outcome.issues.length <= 10;
    case 'unchecked':
      return outcome.reason.length > 0 && outcome.reason.length <= 200;
    default:
      return false;
  }
}
