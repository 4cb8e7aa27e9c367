import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareSchema } from '../schema/check.js';
import { Fuel } from '../schema/fuel.js';
import { checkContent, toContent } from './check-field.js';
import { parseForm } from './parse-form.js';
import { readFieldAnswer } from './read-answer.js';

const RUNS = process.env['PLUGBOARD_FULL'] === undefined ? 200 : 20_000;

const count = fc.option(fc.nat(6), { nil: undefined });
const title = fc.option(fc.string({ maxLength: 8 }), { nil: undefined });
const values = fc.uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 5 });
const titled = values.map((list) => list.map((one) => ({ const: one, title: `T ${one}` })));
const anyField = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    title,
    minLength: count,
    maxLength: count,
    default: fc.option(fc.string()),
  }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('email', 'uri', 'date', 'date-time', 'other') }),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^a', '(b+)+$', '[') }),
  fc.record({
    type: fc.constantFrom('number', 'integer'),
    minimum: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
    maximum: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
    default: fc.option(fc.double({ noNaN: true })),
  }),
  fc.record({ type: fc.constant('boolean'), default: fc.option(fc.boolean()) }),
  fc.record({ type: fc.constant('string'), enum: values, default: fc.option(fc.string({ maxLength: 4 })) }),
  fc.record({ type: fc.constant('string'), oneOf: titled }),
  fc.record({ type: fc.constant('array'), items: fc.record({ enum: values }), minItems: count, maxItems: count }),
  fc.record({ type: fc.constant('array'), items: fc.record({ anyOf: titled }) }),
  fc.record({ anyOf: fc.constant([{ type: 'string' }, { type: 'null' }]), default: fc.constant(null) }),
);
const anySchema = fc
  .dictionary(fc.string({ maxLength: 6 }), anyField.map(withoutUndefined), { maxKeys: 5 })
  .chain((properties) =>
    fc.subarray(Object.keys(properties)).map((required) => ({ type: 'object', properties, required })),
  );
const typed = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('', '1', 'y', '1,2', 'a', '0', '-1', '2026-01-01', 'a@b.c', '""'),
);

function withoutUndefined(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function outcomeOf(schema: object, content: object): string {
  return prepareSchema(schema)(content, new Fuel(1_000_000)).kind;
}

function checkValid(schema: object, content: object): void {
  const outcome = outcomeOf(schema, content);
  expect({ schema, content, outcome }).not.toMatchObject({ outcome: 'invalid' });
}

test('whatever is typed, what is sent in the end fits the schema', () => {
  fc.assert(
    fc.property(anySchema, fc.array(typed, { minLength: 10, maxLength: 10 }), (schema, answers) => {
      const form = parseForm(schema);
      if (form.kind !== 'form') return;
      const given = new Map<string, unknown>();
      for (const [at, field] of form.fields.entries()) {
        const answer = readFieldAnswer(field, answers[at % answers.length]!);
        const value = answer.kind === 'value' ? answer.value : field.default;
        if (value === undefined && field.isRequired) return;
        given.set(field.name, value);
      }
      const content = toContent(form, given);
      expect(checkContent(form, content)).toBeUndefined();
      checkValid(schema, content);
    }),
    { numRuns: RUNS },
  );
});

test('whatever an embedder sends, what passes fits the schema', () => {
  const anyContent = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  fc.assert(
    fc.property(anySchema, anyContent, (schema, content) => {
      const form = parseForm(schema);
      const isTaken = form.kind === 'form' && checkContent(form, content) === undefined;
      expect(isTaken ? outcomeOf(schema, content) : 'not taken').not.toBe('invalid');
    }),
    { numRuns: RUNS },
  );
});

test('nothing that a server sends makes reading its form throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant('object'), properties: fc.jsonValue() })),
      (schema) => {
        expect(['form', 'refused']).toContain(parseForm(schema).kind);
      },
    ),
    { numRuns: RUNS },
  );
});
