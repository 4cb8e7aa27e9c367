import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { moveByRow, type TextRowOptions, toTextRows } from './text-rows.js';
import { textWidth } from './text-width.js';
import { cpuMs } from '../../../../test/cpu-time.js';

const options: TextRowOptions = { mark: '> ', indent: '  ', columns: 11, height: 4 };

/** `|` marks the cursor in the text and in the expected rows, where it is found by its column. */
function check(marked: string, expected: readonly string[], more: Partial<TextRowOptions> = {}): void {
  const cursor = marked.indexOf('|');
  const { rows, cursor: cell } = toTextRows(marked.replace('|', ''), cursor, { ...options, ...more });
  const shown = rows.map((row, at) => {
    if (at !== cell.row) return row;
    let end = 0;
    while (end < row.length && textWidth(row.slice(0, end)) < cell.column) end++;
    return `${row.slice(0, end)}|${row.slice(end)}`;
  });
  expect(shown).toEqual(expected);
}

test('a text is broken at the width, and a row is left for what comes next', () => {
  check('|', ['> |']);
  check('abcdefg|', ['> abcdefg|']);
  check('abcdefgh|', ['> abcdefgh|']);
  check('abcdefghi|', ['> abcdefgh', '  i|']);
  check('abcdefgh|i', ['> abcdefgh', '  |i']);
  check('ab\n\ncd|', ['> ab', '  ', '  cd|']);
  check('ab\n|', ['> ab', '  |']);
});

test('wide letters are never cut in two', () => {
  check('日本日本|', ['> 日本日本|']);
  check('a日本日本|', ['> a日本日', '  本|']);
  check('日|本', ['> 日|本']);
  check('a\tb|', ['> a    b|']);
});

test('a long text is shown around the cursor', () => {
  check('1\n2\n3\n4\n5\n6|', ['  3', '  4', '  5', '  6|']);
  check('|1\n2\n3\n4\n5\n6', ['> |1', '  2', '  3', '  4']);
  check('1\n2\n3|\n4\n5\n6', ['> 1', '  2', '  3|', '  4']);
  check('1\n2\n3|\n4\n5\n6', ['  3|'], { height: 1 });
});

test('a mark that fills its row has the text below it', () => {
  check('ab|', ['A question', 'ab|'], { mark: 'A question', indent: '' });
  check('|', ['A questio|n'.replace('|', '') + '|'], { mark: 'A question', indent: '' });
});

function go(marked: string, by: -1 | 1): string | undefined {
  const text = marked.replace('|', '');
  const cursor = moveByRow(text, marked.indexOf('|'), { ...options, by });
  return cursor === undefined ? undefined : `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test('up and down go by what is seen', () => {
  expect(go('abcdefghijk|', -1)).toBe('abc|defghijk');
  expect(go('abc|defghijk', 1)).toBe('abcdefghijk|');
  expect(go('abcdefg|hijk', 1)).toBe('abcdefghijk|');
  expect(go('ab\ncdef|', -1)).toBe('ab|\ncdef');
  expect(go('ab|', -1)).toBeUndefined();
  expect(go('ab|', 1)).toBeUndefined();
  expect(go('abcdefgh\nabcdefghij|', -1)).toBe('abcdefgh\nab|cdefghij');
});

test('whatever stands in it, each row fits and the cursor is on the screen', () => {
  const text = fc
    .array(fc.constantFrom('a', ' ', '\n', '日', '👨‍👩‍👧', 'e\u0301', '\t', '🇩🇪', 'word'), { maxLength: 60 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(
      text,
      fc.nat(),
      fc.integer({ min: 8, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      (all, at, columns, height) => {
        const cursor = at % (all.length + 1);
        const { rows, cursor: cell } = toTextRows(all, cursor, { ...options, columns, height });
        expect(rows.length).toBeLessThanOrEqual(height);
        expect(rows.length).toBeGreaterThan(cell.row);
        expect(cell.column).toBeLessThan(columns);
        for (const row of rows) expect(textWidth(row)).toBeLessThan(columns);
      },
    ),
    { numRuns: 500 },
  );
});

test('a megabyte in one row, or in many, is shown as fast as a word', () => {
  for (const unit of ['x', '日', 'x\n', '👨‍👩‍👧']) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    for (const cursor of [0, Math.floor(text.length / 2), text.length]) {
      expect(toTextRows(text, cursor, options).rows).toHaveLength(4);
      expect(cpuMs(() => toTextRows(text, cursor, options))).toBeLessThan(200);
    }
  }
});
