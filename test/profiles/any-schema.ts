import * as fc from 'fast-check';

const names = fc.constantFrom('a', 'b', 'type', 'items', 'größe', '__proto__', 'x'.repeat(70), '');
const references = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/a',
  '#/oneOf/0',
  '#/properties/a/items/0',
  '#here',
  '#/nowhere',
  'https://example.com/x',
  '#/%zz',
);
const patterns = fc.oneof(
  fc.constantFrom('^a+$', '(?=x)', String.raw`\p{L}`, '([', 'a{2,1}', '[z-a]', String.raw`\d+\.`),
  fc.string({ maxLength: 6 }),
);
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, '', [], {}, ['a', 'a'], ['a', 1], 'any', 'object'),
);
const types = fc.constantFrom<unknown>(
  'object',
  'object',
  'string',
  'array',
  'number',
  'null',
  'STRING',
  'any',
  ['string', 'null'],
  ['object', 'array', 'string'],
  ['object', 'object'],
  [],
);
const values = fc.constantFrom<unknown>(['a', 'b'], [1, 2], ['a', 1, null], [''], [], [{}], 'a', [true]);

/** What a server may send as a schema: often right, often of another draft, often nonsense, and full of references. */
export const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown; node: object }>((tie) => {
  const schema = tie('schema');
  const map = fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(names, schema, { maxKeys: 3 }) },
    { weight: 1, arbitrary: junk },
  );
  const list = fc.oneof({ weight: 6, arbitrary: fc.array(schema, { maxLength: 3 }) }, { weight: 1, arbitrary: junk });
  const one = fc.oneof(
    { weight: 6, arbitrary: schema },
    { weight: 1, arbitrary: list },
    { weight: 1, arbitrary: junk },
  );
  const or = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 8, arbitrary: good }, { weight: 1, arbitrary: junk });
  const words: { [word: string]: fc.Arbitrary<unknown> } = {
    type: or(types),
    properties: map,
    patternProperties: or(fc.dictionary(patterns, schema, { maxKeys: 2 })),
    $defs: map,
    definitions: map,
    dependencies: map,
    dependentRequired: or(fc.dictionary(names, fc.array(names, { maxLength: 2 }), { maxKeys: 2 })),
    required: or(fc.array(names, { maxLength: 3 })),
    additionalProperties: one,
    items: one,
    additionalItems: one,
    prefixItems: list,
    contains: one,
    oneOf: list,
    anyOf: list,
    allOf: list,
    not: one,
    if: one,
    else: one,
    enum: or(values),
    const: junk,
    default: junk,
    format: or(fc.constantFrom('uri', 'date-time', 'int32')),
    pattern: or(patterns),
    minimum: or(fc.integer()),
    exclusiveMinimum: or(fc.constantFrom<unknown>(true, false, 3)),
    minLength: or(fc.nat()),
    multipleOf: or(fc.constantFrom(0, 1, 2)),
    uniqueItems: or(fc.boolean()),
    nullable: or(fc.boolean()),
    title: or(fc.string({ maxLength: 5 })),
    description: or(fc.string({ maxLength: 5 })),
    $ref: or(references),
    $anchor: or(fc.constantFrom('here', 'not here')),
    $id: or(fc.constantFrom('https://example.com/x', '#x')),
    $schema: or(
      fc.constantFrom('http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'),
    ),
    examples: junk,
    'x-own': junk,
  };
  const node = fc
    .uniqueArray(fc.constantFrom(...Object.keys(words), 'type', 'type', 'properties', 'properties', 'items'), {
      minLength: 0,
      maxLength: 6,
    })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((word) => [word, words[word]!]))));
  return { schema: fc.oneof({ maxDepth: 5, depthSize: 'small' }, fc.boolean(), node), node };
}).node;
