import { expect, test } from 'vitest';
import { parseCallExpression } from './call-expression.js';
import { toolSignature } from './signature.js';

test.each<[unknown, string]>([
  [
    {
      properties: { labels: { type: 'array', items: { type: 'string' } }, title: { type: 'string' } },
      required: ['title'],
    },
    'f(title: string, labels?: string[])',
  ],
  [{ properties: { level: { enum: ['low', 'high'] } } }, 'f(level?: "low" | "high")'],
  [{ properties: { level: { enum: [1, null, true] } } }, 'f(level?: 1 | null | true)'],
  [{ type: 'object', properties: {} }, 'f()'],
  [{ type: 'object', additionalProperties: false }, 'f()'],
  [{ type: 'object' }, 'f([name: string]: unknown)'],
  [{ properties: { a: { type: 'integer' } }, additionalProperties: true }, 'f(a?: number, [name: string]: unknown)'],
  [{ properties: { a: { type: ['string', 'null'] } } }, 'f(a?: string | null)'],
  [{ properties: { 'filter[id]': {}, new: { type: 'boolean' } } }, 'f("filter[id]"?: unknown, "new"?: boolean)'],
  [
    { properties: { e: { enum: Array.from({ length: 12 }, (_, at) => at) } } },
    'f(e?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …)',
  ],
  [
    { properties: { o: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } } },
    'f(o?: (string | number)[])',
  ],
  [
    {
      $ref: '#/$defs/node',
      $defs: {
        node: { properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } }, required: ['value'] },
      },
    },
    'f(value: string, next?: unknown)',
  ],
  [
    { oneOf: [{ properties: { id: { type: 'string' } }, required: ['id'] }, { properties: { url: { const: 'x' } } }] },
    'f(id?: string, url?: "x")',
  ],
  [
    {
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      anyOf: [{ required: ['from'] }, { required: ['to'] }],
    },
    'f(from?: string, to?: string)',
  ],
  ['no schema', 'f([name: string]: unknown)'],
  [{ properties: [], required: 'all' }, 'f([name: string]: unknown)'],
])('the signature of %j is %s', (schema, signature) => {
  expect(toolSignature('f', schema)).toBe(signature);
});

test('a signature that a user pastes and fills in is the call', () => {
  const signature = toolSignature('notes.create', {
    properties: { title: { type: 'string' }, 'a b': { type: 'number' }, on: { type: 'boolean' } },
    required: ['title'],
  });
  const filled = signature.replace('string', '"milk"').replace('number', '2').replace('boolean', 'true');
  expect(parseCallExpression(filled)).toEqual({
    kind: 'call',
    tool: 'notes.create',
    input: { title: 'milk', 'a b': 2, on: true },
  });
});

test('a long signature is cut after what is needed', () => {
  const names = Array.from({ length: 100 }, (_, at) => `argument_${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const signature = toolSignature('f', { properties, required: names.slice(50, 52) });
  expect(signature).toMatch(/^f\(argument_50: string, argument_51: string, argument_0\?: string, .*, …\)$/u);
  expect(signature.length).toBeLessThan(300);
});

test('a choice of hundreds of values is the type of the values', () => {
  const schema = { properties: { e: { enum: Array.from({ length: 500 }, (_, at) => `v${at}`) } } };
  expect(toolSignature('f', schema)).toBe('f(e?: string)');
});
