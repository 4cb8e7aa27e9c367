import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListKind } from './catalog/cached-list.js';
import { fromOwnText, toOwnText } from './own-item.js';

const asItIs = (text: string): string => text;
const mask = (text: string): string => text.replaceAll('hunter2', '***');

function check(kind: ListKind, item: object, definition: object, redact = asItIs): unknown {
  const text = toOwnText(kind, item as never, definition, redact);
  return fromOwnText(kind, text, JSON.parse(JSON.stringify(definition)) as never);
}

test('an item comes back as it was written, whatever its definition leaves out, cuts or adds', () => {
  const inputSchema = { type: 'object', properties: { a: {} } };
  const known = { name: 'x', title: 'X', description: 'cut …', inputSchema, annotations: { readOnlyHint: false } };
  for (const item of [
    { name: 'x', inputSchema },
    { name: 'x', title: 'X', description: 'cut …', inputSchema },
    { inputSchema, description: 'not cut', name: 'x', title: null, outputSchema: null, _meta: { a: 1 }, icons: [] },
    {
      name: 'x',
      inputSchema,
      annotations: { readOnlyHint: true, 'acme/x': [1] },
      execution: { taskSupport: 'optional' },
    },
    { name: 'x', inputSchema, ...(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as object) },
  ]) {
    expect(check('tools', item, known)).toEqual(item);
  }
});

test('fields of any names and values come back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (more) => {
      const item = JSON.parse(JSON.stringify({ ...more, uri: 'a://b' })) as object;
      expect(check('resources', item, { uri: 'a://b', name: 'a', title: 'b' })).toEqual(item);
    }),
  );
});

test('what is the same in the definition is not kept twice', () => {
  const inputSchema = { type: 'object', description: 'long'.repeat(1_000) };
  const item = { name: 'x', description: 'd', inputSchema };
  expect(toOwnText('tools', item, { ...item, annotations: {} }, asItIs).length).toBeLessThan(5);
});

test('secrets are taken out, and an item that is too large is not kept', () => {
  const item = { name: 'p', description: 'say hunter2', _meta: { a: ['hunter2'] } };
  expect(check('prompts', item, { name: 'p', description: 'say ***' }, mask)).toEqual({
    name: 'p',
    description: 'say ***',
    _meta: { a: ['***'] },
  });
  expect(check('prompts', { name: 'p', description: 'x'.repeat(1_000_000) }, { name: 'p' })).toBeUndefined();
});

test.each(['', 'x', '0', '2{}', '1{', '1{"name":"other"}', '1[]', '-', '1.5', '99999999999999999999'])(
  'a text from a file that is no item (%s) gives none, or one of that name',
  (text) => {
    const item = fromOwnText('tools', text, { name: 'x' });
    expect(item?.['name'] ?? 'x').toBe('x');
  },
);

test('what a server inside this program says beside JSON is left out', () => {
  const round: Record<string, unknown> = {};
  round['round'] = round;
  const item = { name: 'p', a: undefined, b: 1n, c: round, d: () => 1, e: 1 };
  expect(check('prompts', item, { name: 'p' })).toEqual({ name: 'p', e: 1 });
});

test('a secret is found where JSON writes it in another way', () => {
  const told = 'quo"te\\back';
  const take = (text: string): string => text.replaceAll(told, '***');
  const item = { name: 'p', _meta: { a: `my ${told}` } };
  expect(check('prompts', item, { name: 'p' }, take)).toEqual({ name: 'p', _meta: { a: 'my ***' } });
});
