import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { styleFor } from '../../output/style.js';
import { cutMiddle, cutToColumns, padText, textWidth, wrapExact, wrapText, wrapWords } from './text-width.js';
import { isSteep } from '../../../../test/cpu-time.js';

const style = styleFor({ isTerminal: true, columns: 80, write: () => {} }, { env: {}, noColor: false });
const link = '\u001B]8;;https://example.com/\u0007here\u001B]8;;\u0007';

test.each([
  ['', 0],
  ['plain', 5],
  ['Ünïcödé', 7],
  ['e\u0301', 1],
  ['\u0301', 0],
  ['日本語', 6],
  ['한국어', 6],
  ['\u1112\u1161\u11ab', 2],
  ['ﾊﾝｶｸ', 4],
  ['Ｆｕｌｌ', 8],
  ['│●✔✘…', 5],
  ['✅', 2],
  ['❤', 1],
  ['❤️', 2],
  ['1️⃣', 2],
  ['👍🏽', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['🏳️‍🌈', 2],
  ['🇨🇭', 2],
  ['🇨🇭🇫🇷', 4],
  ['a\u200Bb', 2],
  ['नमस्ते', 4],
  ['\ta', 9],
  ['ab\tc', 9],
  [style.red('red'), 3],
  [link, 4],
  ['\u001B', 0],
  ['\u001B[', 0],
  ['\uD83D', 0],
  ['x\uDE00', 1],
])('%j takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test('what does not fit is cut with a mark, between letters as people see them', () => {
  expect(cutToColumns('a sentence', 10)).toBe('a sentence');
  expect(cutToColumns('a sentence', 9)).toBe('a senten…');
  expect(cutToColumns('日本語', 5)).toBe('日本…');
  expect(cutToColumns('日本語', 4)).toBe('日…');
  expect(cutToColumns('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
  expect(cutToColumns('ab', 1)).toBe('…');
  expect(cutToColumns('ab', 0)).toBe('');
});

test('a style or a link that is cut ends there', () => {
  expect(cutToColumns(style.red('crimson'), 4)).toBe('\u001B[31mcri…\u001B[39m');
  expect(cutToColumns(style.bold(`${style.red('ab')}cdef`), 4)).toBe('\u001B[1m\u001B[31mab\u001B[39mc…\u001B[22m');
  expect(cutToColumns(link, 3)).toBe('\u001B]8;;https://example.com/\u0007he…\u001B]8;;\u0007');
});

test('a paragraph is broken between words, and each row has its own style', () => {
  expect(wrapText('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(wrapText('one two three four', 10, 2)).toEqual(['one two', '  three', '  four']);
  expect(wrapText(`see ${style.bold('one two three')} end`, 9)).toEqual([
    'see \u001B[1mone\u001B[22m',
    '\u001B[1mtwo three\u001B[22m',
    'end',
  ]);
  expect(wrapText(link.replace('here', 'over there'), 5)).toEqual([
    '\u001B]8;;https://example.com/\u0007over\u001B]8;;\u0007',
    '\u001B]8;;https://example.com/\u0007there\u001B]8;;\u0007',
  ]);
  expect(wrapText('first\n\nlast', 9)).toEqual(['first', '', 'last']);
  expect(wrapText('\u001B[1m\u001B[22m\n\u0007', 2)).toEqual(['\u001B[1m\u001B[22m', '\u0007']);
});

test('a word without an end is broken anywhere, unless it is one to be kept', () => {
  expect(wrapText('see abcdefghijkl there', 5)).toEqual(['see', 'abcde', 'fghij', 'kl', 'there']);
  expect(wrapWords('see abcdefghijkl there', { columns: 5, keeps: (word) => word.startsWith('abc') })).toEqual([
    'see',
    'abcdefghijkl',
    'there',
  ]);
});

test('a long path is broken after its slashes, on any screen', () => {
  expect(wrapText('see /home/ada/projects/plugboard/config.json there', 20)).toEqual([
    'see',
    '/home/ada/projects/',
    'plugboard/',
    'config.json there',
  ]);
  expect(wrapText('https://example.com/a/long/address', 12)).toEqual([
    'https://',
    'example.com/',
    'a/long/',
    'address',
  ]);
  expect(wrapText('C:\\Users\\Ada\\a-folder-without-an-end', 12, 2)).toEqual([
    'C:\\Users\\',
    '  Ada\\a-fold',
    '  er-without',
    '  -an-end',
  ]);
});

test('of a text to decide about no blank is lost where it is wrapped', () => {
  expect(wrapExact('one two three', 9)).toEqual(['one two␣', 'three']);
  expect(wrapExact('one twoo three', 8, 2)).toEqual(['one twoo', '␣three']);
  expect(wrapExact('see   abcdefgh', 10)).toEqual(['see␣␣␣', 'abcdefgh']);
  expect(wrapExact('see     abcdefgh', 10)).toEqual(['see[␣×5]', 'abcdefgh']);
  expect(wrapExact(`a${' '.repeat(40)}b`, 60)).toEqual(['a[␣×40]b']);
  expect(wrapExact(`${' '.repeat(12)}abcdefghijkl`, 20)).toEqual(['[␣×12]abcdefghijkl']);
  expect(wrapExact('    code  ', 20)).toEqual(['    code␣␣']);
  expect(wrapExact('a ␣', 20)).toEqual(['a \\u{2423}']);
});

test('two texts to decide about never have the same rows', () => {
  const letters = fc.array(fc.constantFrom(' ', ' ', 'a', '/', '日', '␣', '\\', '[', '5', ']'), { maxLength: 60 });
  const words = letters.map((some) => some.join(''));
  fc.assert(
    fc.property(words, fc.integer({ min: 5, max: 30 }), fc.integer({ min: 0, max: 60 }), (text, columns, at) => {
      const other = `${text.slice(0, at)} ${text.slice(at)}`;
      const rows = wrapExact(text, columns, 2);
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns);
      expect(rows).not.toEqual(wrapExact(other, columns, 2));
      expect(rows.map((row) => row.trimEnd())).toEqual(rows);
    }),
  );
});

test('Chinese and Japanese are broken between letters, and no row begins with a full stop', () => {
  expect(wrapText('日本語のテキスト。終わり', 16)).toEqual(['日本語のテキス', 'ト。終わり']);
  expect(wrapText('say 日本語', 8)).toEqual(['say 日本', '語']);
});

test('columns are aligned on either side', () => {
  expect(padText('日本', 6)).toBe('日本  ');
  expect(padText(style.red('7'), 3, 'end')).toBe('  \u001B[31m7\u001B[39m');
  expect(padText('too long', 3)).toBe('too long');
});

const pieces = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(' ', '  ', '\n', '👩‍👩‍👧‍👦', '🇨🇭', '日本', 'e\u0301', link, 'word', '\u0000', '\u009D'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => style.bold(style.red(text))),
);
const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));

test('nothing that was cut is wider than it may be, or leaves a style on', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, columns) => {
      const line = text.replaceAll('\n', ' ');
      const cut = cutToColumns(line, columns);
      expect(textWidth(cut)).toBeLessThanOrEqual(columns);
      const isWhole = textWidth(line) <= columns;
      expect(cut === line || cut === '' || cut.includes('…')).toBe(true);
      expect(isWhole ? cut : line).toBe(line);
      expect(hasOpenStyle(cut)).toBe(false);
    }),
  );
});

test('no row is wider than the screen or leaves a style on, and no letter is lost', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 60 }), fc.integer({ min: 0, max: 8 }), (text, columns, indent) => {
      const rows = wrapText(text, columns, indent);
      for (const row of rows) {
        expect(textWidth(row)).toBeLessThanOrEqual(columns);
        expect(hasOpenStyle(row)).toBe(false);
      }
      expect(lettersOf(rows.join('\n'))).toBe(lettersOf(text));
    }),
  );
});

test('a text without an end is measured, cut and broken in one pass', () => {
  for (const [unit, times] of [
    ['x', 2e5],
    ['日', 2e5],
    ['ab ', 1e5],
    ['\u0301', 2e5],
    ['\u001B[1m', 1e5],
  ] as const) {
    const measure = (length: number): unknown => {
      const text = `e${unit.repeat(length)}`;
      return [textWidth(text), cutToColumns(text, 80), wrapText(text, 80)];
    };
    expect([unit, isSteep(measure, times)]).toEqual([unit, false]);
  }
});

function hasOpenStyle(row: string): boolean {
  return (
    (row.split('\u001B[1m').length > 1 && row.lastIndexOf('\u001B[22m') < row.lastIndexOf('\u001B[1m')) ||
    (row.split('\u001B[31m').length > 1 && row.lastIndexOf('\u001B[39m') < row.lastIndexOf('\u001B[31m')) ||
    row.split('\u001B]8;;').length % 2 === 0
  );
}

/** What `wrapText` may add. Not all that node strips: it takes a style and a bell after it for one sequence. */
const [ESC, BEL] = ['\u001B', '\u0007'];
const SEQUENCES = new RegExp(`${ESC}\\[[\\d;]*m|${ESC}\\]8;;[^${BEL}${ESC}\\n]*${BEL}`, 'gu');

function lettersOf(text: string): string {
  return text.replaceAll(SEQUENCES, '').replaceAll(/[ \t\n]/gu, '');
}

test.each<[string, number, string]>([
  ['a-name', 6, 'a-name'],
  ['service-of-the-company-01', 11, 'servi…ny-01'],
  ['service-of-the-company-01', 2, 's…'],
  ['service-of-the-company-01', 1, '…'],
  ['service-of-the-company-01', 0, ''],
  ['日本語のサーバー', 9, '日本…バー'],
  ['日本語のサーバー', 8, '日本…ー'],
  ['e\u0301'.repeat(8), 5, 'e\u0301e\u0301…e\u0301e\u0301'],
])('%s in %i columns keeps its beginning and its end: %s', (text, columns, expected) => {
  expect(cutMiddle(text, columns)).toBe(expected);
  expect(textWidth(expected)).toBeLessThanOrEqual(columns);
});
