import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { styleFor } from '../output/style.js';
import { textWidth } from '../terminal/text/text-width.js';
import { argumentRows } from './argument-rows.js';

const output = { isTerminal: true, columns: 80, write: () => {} };
const style = styleFor(output, { env: {}, noColor: true });
const colours = styleFor(output, { env: {}, noColor: false });

function rowsOf(input: object, { columns = 80, isOpen = false } = {}): readonly string[] {
  return argumentRows(input, { columns, style, isOpen });
}

test.each<[string, object, readonly string[]]>([
  ['no arguments', {}, ['| (no arguments)']],
  [
    'short values',
    { title: 'x', count: 3, isSure: true, tags: ['a', 'b'], none: null },
    ['| title: "x"', '| count: 3', '| isSure: true', '| tags: [ "a", "b" ]', '| none: null'],
  ],
  [
    'a text of several lines, with its size',
    { body: 'one\n\ttwo \nthree' },
    ['| body, 3 lines, 15 characters:', '|     one', '|     →   two·', '|     three'],
  ],
  [
    'an edit, as a diff',
    { path: '/a/b.ts', old_string: 'a\nb\nc', new_string: 'a\nB\nc\nd' },
    [
      '| path: "/a/b.ts"',
      '| old_string → new_string: 1 line removed, 2 lines added:',
      '|     a',
      '|   - b',
      '|   + B',
      '|     c',
      '|   + d',
    ],
  ],
  [
    'a list of edits',
    {
      path: 'x',
      edits: [
        { oldText: 'a', newText: 'b' },
        { oldText: 'c', newText: '', line: 3 },
      ],
    },
    [
      '| path: "x"',
      '| edits, 1 of 2:',
      '|   oldText → newText: 1 line removed, 1 line added:',
      '|   - a',
      '|   + b',
      '| edits, 2 of 2:',
      '|   oldText → newText: 1 line removed, 0 lines added:',
      '|   - c',
      '|   line: 3',
    ],
  ],
  [
    'the new content of a file',
    { path: 'notes.md', content: '# Hi\nthere' },
    ['| path: "notes.md"', '| content: the whole new text, 2 lines, 10 characters:', '|   + # Hi', '|   + there'],
  ],
  [
    'a name that is no word',
    { 'path: "/safe"\nx': 1, __proto__x: 2 },
    ['| "path: \\"/safe\\"\\nx": 1', '| __proto__x: 2'],
  ],
])('%s can be read', (_, input, rows) => {
  expect(rowsOf(input)).toEqual(rows);
});

test('a long value is folded: its size, its beginning and its end are shown, and unfolding shows all of it', () => {
  const body = Array.from({ length: 100 }, (_, at) => `row ${at}`).join('\n');
  const rows = rowsOf({ body, after: 1 });
  expect(rows).toHaveLength(15);
  expect(rows[0]).toBe('| body, 100 lines, 689 characters:');
  expect(rows.slice(8, 11)).toEqual(['|     row 7', '  … 88 more rows: v unfolds them', '|     row 96']);
  expect(rows.slice(-2)).toEqual(['|     row 99', '| after: 1']);
  expect(rowsOf({ body, after: 1 }, { isOpen: true })).toHaveLength(102);
});

test('unchanged lines of an edit are left out until it is unfolded', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const edit = { old_string: lines.join('\n'), new_string: lines.with(10, 'other').join('\n') };
  const rows = rowsOf(edit);
  expect([rows[1], rows.at(-1)]).toEqual(['  … unchanged lines', '  … unchanged lines']);
  expect(rowsOf(edit, { isOpen: true })).toHaveLength(22);
});

test('a text of a megabyte is shown in part, and says so', () => {
  const huge = 'x'.repeat(1_000_000);
  const rows = rowsOf({ one: huge, many: 'y\n'.repeat(500_000), pair: [huge] }, { isOpen: true });
  expect(rows.join('\n')).toContain('[980000 characters not shown]');
  expect(rows).toContain('  … 498001 lines, which are not shown');
  expect(rows.length).toBeLessThan(4_000);
  const edit = rowsOf({ old_string: 'a\n'.repeat(300_000), new_string: 'b' }, { isOpen: true });
  expect(edit).toContain('  … 298002 more lines, which are not shown');
});

test('removed and added lines are told apart by a sign, and by a colour', () => {
  const rows = argumentRows({ search: 'a', replace: 'b' }, { columns: 80, style: colours, isOpen: false });
  expect(rows.slice(1)).toEqual(['|   \u001B[31m- a\u001B[39m', '|   \u001B[32m+ b\u001B[39m']);
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'a\n  y  yes\n| b',
    '\r\u001B[2K=> allowed',
    '日本語'.repeat(60),
    '  … 3 more rows: v unfolds them',
    '\u202e\u200b',
  ),
);
const inputs = fc.dictionary(
  fc.oneof(texts, fc.constantFrom('path', 'content', 'old_string', 'new_string', 'edits')),
  fc.oneof(texts, fc.jsonValue()),
  {
    maxKeys: 6,
  },
);

test('whatever the arguments are, every row of them has the bar, fits the screen and hides nothing', () => {
  fc.assert(
    fc.property(inputs, fc.constantFrom(40, 80, 120), fc.boolean(), (input, columns, isOpen) => {
      for (const row of rowsOf(input, { columns, isOpen })) {
        expect(row).toMatch(/^(?:\|(?: |$)|  … (?:\d+ |unchanged lines$))/u);
        expect(textWidth(row)).toBeLessThan(columns);
        expect(row).not.toMatch(/[\p{Cc}\u200b\u202e]/u);
      }
    }),
  );
});
