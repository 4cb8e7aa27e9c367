import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { showInput } from './show-input.js';
import { cpuMs } from '../../../test/cpu-time.js';

test.each<[input: unknown, shown: string]>([
  [{ path: '/tmp/x' }, '"/tmp/x"'],
  [{ path: 'a\u200bb' }, '"a\\u{200b}b"'],
  [{ path: 'a\u202egpj.exe' }, '"a\\u{202e}gpj.exe"'],
  [{ path: 'a\u00a0b\u2800c' }, '"a\\u{a0}b\\u{2800}c"'],
  [{ path: 'tag\u{e0041}' }, 'tag\\u{e0041}'],
  [{ path: '\u001b[2J' }, '\\u001b[2J'],
  [{ path: 'a\\u{200b}b' }, 'a\\\\u{200b}b'],
  [{ path: 'a\nb' }, 'a\\nb'],
  [{ path: '\ud800' }, '\\ud800'],
  [{ word: 'می‌خواهم' }, 'می‌خواهم'],
  [{ who: '👩‍👧' }, '👩‍👧'],
])('what would be sent is shown as it is: %j', (input, shown) => {
  expect(showInput(input)).toContain(shown);
});

test('a value that is too long is cut in the middle, and what follows it still shows', () => {
  const shown = showInput({ text: `begin${'x'.repeat(50_000)}end`, more: 'rm -rf /' });
  expect(shown).toContain('46008 characters not shown');
  expect(shown).toContain('end"');
  expect(shown).toContain('rm -rf /');
});

test('an input that is too long is cut with a mark', () => {
  const shown = showInput(Array.from({ length: 20_000 }, (_, index) => index));
  expect(shown.length).toBeLessThan(21_000);
  expect(shown).toMatch(/… \[cut here: about \d+ more characters\]$/u);
});

test('what has no JSON is said to have none', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(showInput(circle)).toContain('cannot be shown');
});

const anyCode = fc.oneof(fc.integer({ min: 0, max: 0x10ffff }), fc.integer({ min: 0x2000, max: 0x2070 }));
const anyText = fc.array(anyCode).map((codes) => String.fromCodePoint(...codes));

test('whatever is shown has nothing in it that does not show', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), anyText), (input) => {
      expect(showInput(input)).not.toMatch(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['a list', { rows: Array.from({ length: 500_000 }, () => 1), last: 'END' }],
  ['an object', Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key ${at}`, at]))],
])('of %s with very many parts the first are shown, and how many are not', (_, input) => {
  const shown = showInput(input);
  expect(cpuMs(() => showInput(input))).toBeLessThan(150);
  expect(shown).toMatch(/cut here|more not shown/u);
  expect(shown.length).toBeLessThan(25_000);
});
