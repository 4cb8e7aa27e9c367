import { expect, test } from 'vitest';
import { parseCallExpression } from './call-expression.js';

test.each<[string, string, unknown]>([
  ['f()', 'f', {}],
  ['f( )', 'f', {}],
  ['notes.add_note(text: "milk", tags: ["a"])', 'notes.add_note', { text: 'milk', tags: ['a'] }],
  ["mcp__a__b(x: 'it''s')".replace("''", String.raw`\'`), 'mcp__a__b', { x: "it's" }],
  ['f(a: 1, b: -2.5, c: .5, d: 0x1f, e: 1e3, g: +7,)', 'f', { a: 1, b: -2.5, c: 0.5, d: 31, e: 1000, g: 7 }],
  ['f(on: true, off: false, none: null)', 'f', { on: true, off: false, none: null }],
  ['f(o: { a: 1, "b c": [1, [2, {}]], })', 'f', { o: { a: 1, 'b c': [1, [2, {}]] } }],
  ['f({ a: 1 })', 'f', { a: 1 }],
  ['f("filter[id]": "x", labels?: [])', 'f', { 'filter[id]': 'x', labels: [] }],
  [String.raw`f(a: "\n\té\u{1F600}\x41\\")`, 'f', { a: '\n\té😀A\\' }],
  ['f(a: `two\nlines ${x}`)', 'f', { a: 'two\nlines ${x}' }],
  ['f(a: "x", …)', 'f', { a: 'x' }],
  ['f (größe: 1)', 'f', { größe: 1 }],
  ['f(a: ")")', 'f', { a: ')' }],
])('%j calls %s with %j', (text, tool, input) => {
  expect(parseCallExpression(text)).toEqual({ kind: 'call', tool, input });
});

test('a name may be __proto__, and changes no prototype', () => {
  const parsed = parseCallExpression('f(__proto__: { a: 1 }, "constructor": 2)');
  const input = parsed?.kind === 'call' ? parsed.input : {};
  expect(JSON.stringify(input)).toBe('{"__proto__":{"a":1},"constructor":2}');
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
});

test.each(['f', 'notes.add', 'a=(1)', '(a: 1)', '"f"(a: 1)', 'a b(c: 1)', ''])('%j is a word and no call', (text) => {
  expect(parseCallExpression(text)).toBe(undefined);
});

test.each<[string, number, string]>([
  ['f(', 3, 'the name of an argument is missing at the end'],
  ['f(a', 4, '":" is missing after a'],
  ['f(a:', 5, 'the value of a is missing'],
  ['f(a: , b: 1)', 6, 'the value of a is missing'],
  ['f(a: 1', 7, '"," or ")" is missing at the end'],
  ['f(a: 1 b: 2)', 8, 'expected "," or ")", found "b: 2)"'],
  ['f(a: 1, a: 2)', 9, 'a is given twice'],
  ['f(a: milk)', 6, '"milk" is no value; a text is written in quotes'],
  ['f(title: string)', 10, '"string" is the type; write a value in its place'],
  ['f(a: "x)', 6, 'has no closing "'],
  ['f(a: 1) b', 9, 'nothing is expected after ")"'],
  ['f("x")', 6, '":" is missing after x'],
  ['f(a: 9007199254740993)', 6, 'too large for an exact JSON number'],
  ['f(a: 1e999)', 6, 'the number is too large'],
  [String.raw`f(a: "\u{110000}")`, 7, 'no such character'],
  [String.raw`f(a: "\uZ")`, 7, 'no such escape'],
  ['f(a: 12abc)', 6, 'expected a value'],
  [`f(a: ${'['.repeat(70)}`, 70, 'nested more than 64 levels deep'],
])('%j is wrong at %i: %s', (text, at, message) => {
  expect(parseCallExpression(text)).toEqual({ kind: 'fault', at, message: expect.stringContaining(message) as string });
});

test('a text of a megabyte is refused, and one that is all brackets ends at once', () => {
  expect(parseCallExpression(`f(a: "${'x'.repeat(1_000_000)}")`)).toMatchObject({ kind: 'fault' });
  expect(parseCallExpression(`f(${'a: ['.repeat(100_000)}`)).toMatchObject({ kind: 'fault' });
});
