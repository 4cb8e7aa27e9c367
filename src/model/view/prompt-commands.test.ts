import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignNames } from './names.js';
import { fillArguments, parseCommand, splitWords } from './prompt-commands.js';

test('whatever a server calls its prompts, each has a command of its own that begins with its server', () => {
  const table = assignNames(
    ['clear', 'clear\n', 'a b', 'a_b', '/exit', 'mcp__other__x', 'x'.repeat(300)].map((tool) => ({
      server: 's',
      tool,
    })),
  );
  const names = Array.from(table.entries(), ([name]) => name);
  expect(names).toHaveLength(7);
  expect(new Set(names).size).toBe(7);
  for (const name of names) expect(name).toMatch(/^mcp__s__[\w-]{1,56}$/u);
  expect(table.nameOf('s', 'clear')).toBe('mcp__s__clear');
  expect(table.lookup('mcp__s__clear')?.tool).toBe('clear');
  expect(table.lookup('clear')).toBeUndefined();
});

test.each([
  ['/mcp__s__p', { name: 'mcp__s__p', words: [] }],
  ['/mcp__s__p a "b c" d', { name: 'mcp__s__p', words: ['a', 'b c', 'd'] }],
  [' /mcp__s__p\na', { name: 'mcp__s__p', words: ['a'] }],
  ['/mcp__s__p:x', undefined],
  ['mcp__s__p', undefined],
  ['/', undefined],
])('%j is read as a command', (text, expected) => {
  expect(parseCommand(text)).toEqual(expected);
});

test.each([
  [`a 'b c' d`, ['a', 'b c', 'd']],
  [`don't "say \\"hi\\""`, ["don't", 'say "hi"']],
  [`name="two words" x='y z'`, ['name=two words', 'x=y z']],
  [`"never closed`, ['never closed']],
  [`"" ''`, ['', '']],
  [`a="b" c=`, ['a=b', 'c=']],
])('%j is split as a shell would', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
const city = { name: 'city', required: true };
const state = { name: 'state', required: false };

test.each([
  [['Ulm'], [city, state], { city: 'Ulm' }, [], []],
  [['Ulm', 'BW'], [city, state], { city: 'Ulm', state: 'BW' }, [], []],
  [['state=BW', 'Ulm'], [city, state], { city: 'Ulm', state: 'BW' }, [], []],
  [['a', 'whole', 'sentence'], [city], { city: 'a whole sentence' }, [], []],
  [['Ulm', 'Baden', 'Württemberg'], [city, state], { city: 'Ulm', state: 'Baden Württemberg' }, [], []],
  [['x=1'], [city], { city: 'x=1' }, [], []],
  [['city=a=b'], [city], { city: 'a=b' }, [], []],
  [[], [city, state], {}, ['city'], []],
  [['a'], [], {}, [], ['a']],
])('%j fills in the arguments', (words, slots, filled, missing, surplus) => {
  expect(fillArguments(words, slots)).toEqual({ arguments: filled, missing, surplus });
});

test('an argument called __proto__ is one like any other', () => {
  const { arguments: given } = fillArguments(['__proto__=x'], [{ name: '__proto__', required: true }]);
  expect(Object.entries(given)).toEqual([['__proto__', 'x']]);
});

test('no text makes them throw, and no word is lost', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      parseCommand(`/${text}`);
      const words = splitWords(text);
      const { arguments: given } = fillArguments(words, [{ name: 'all', required: true }]);
      const isNamed = words.some((word) => word.startsWith('all='));
      expect(isNamed || (given['all'] ?? '') === words.join(' ')).toBe(true);
    }),
  );
});
