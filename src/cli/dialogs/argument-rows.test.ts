import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { styleFor } from '../output/style.js';
import { textWidth } from '../terminal/text/text-width.js';
import { argumentRows } from './argument-rows.js';

const output = { isTerminal: true, columns: 80, write: () => {} };
const style = styleFor(output, { env: {}, noColor: true });
const colours = styleFor(output, { env: {}, noColor: false });

function rowsOf(input: object, { columns = 80, isOpen = false } = {}): readonly string[] {
  return argumentRows(input, { columns, style, isOpen });
}

function many(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1]));
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
    ['| body, 3 lines, 15 characters:', '|     one', '|     →   two␣', '|     three'],
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
    'an edit whose texts stand far apart',
    { old_string: 'a', path: 'x', ...many(250), new_string: 'b' },
    [
      '| old_string → new_string: 1 line removed, 1 line added:',
      '|   - a',
      '|   + b',
      '| path: "x"',
      ...Array.from({ length: 198 }, (_, at) => `| a${at}: 1`),
      '  … 52 more arguments: v shows them',
    ],
  ],
  [
    'an edit that changes nothing',
    { search: 'a\nb', replace: 'a\nb' },
    ['| search → replace: the same text twice, 2 lines:', '|     a', '|     b'],
  ],
  [
    'edits within edits',
    { edits: [{ oldText: 'a', newText: 'b', edits: [{ oldText: 'c', newText: 'd' }] }] },
    [
      '| edits, 1 of 1:',
      '|   oldText → newText: 1 line removed, 1 line added:',
      '|   - a',
      '|   + b',
      '|   edits: [ { "oldText": "c", "newText": "d" } ]',
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

test('edits within edits without an end are shown in bounded time', () => {
  let edits: object[] = [];
  for (let depth = 0; depth < 20_000; depth++) edits = [{ oldText: 'a', newText: 'b', edits }];
  const rows = rowsOf({ edits }, { isOpen: true });
  expect(rows.slice(0, 4)).toEqual([
    '| edits, 1 of 1:',
    '|   oldText → newText: 1 line removed, 1 line added:',
    '|   - a',
    '|   + b',
  ]);
  expect(rows.length).toBeLessThan(1_000);
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

test('every argument is shown when the arguments are unfolded, however many there are', () => {
  const edits = [{ oldText: 'a', newText: 'b', ...many(300) }];
  const rows = rowsOf({ ...many(5_000), command: 'rm -rf ~', edits }, { isOpen: true });
  expect(rows.slice(4_999, 5_002)).toEqual(['| a4999: 1', '| command: "rm -rf ~"', '| edits, 1 of 1:']);
  expect(rows.at(-1)).toBe('|   a299: 1');
  expect(rows.filter((row) => row.includes('…'))).toEqual([]);
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

test.each<[string, object, readonly string[]]>([
  ['many blanks within a value', { command: `ls${' '.repeat(500)}; rm -rf ~` }, ['| command: "ls[␣×500]; rm -rf ~"']],
  [
    'blanks where a value is wrapped',
    { text: 'one two three four   five', other: 'one two three four    five' },
    ['| text: "one two three four', '|     ␣␣␣five"', '| other: "one two three␣', '|     four    five"'],
  ],
  [
    'a path that is wrapped, with a blank and without',
    { one: '/aaaaaaaaa/bbbbbbb/cccccccc', two: '/aaaaaaaaa/bbbbbbb/ cccccccc' },
    ['| one:', '|     "/aaaaaaaaa/bbbbbbb/', '|     cccccccc"', '| two: "/aaaaaaaaa/bbbbbbb/', '|     ␣cccccccc"'],
  ],
  [
    'a line that is wrapped, and an indented one',
    { body: 'one two three four five six\n  seven' },
    ['| body, 2 lines, 35', '|     characters:', '|     one two three four␣', '|     ↳ five six', '|       seven'],
  ],
  [
    'accents that would cover other rows',
    { one: `a${'\u0301'.repeat(500)}b`, body: `x\n${'\u0301'.repeat(5)}` },
    [
      `| one: "a${'\u0301'.repeat(4)}[\\u{301}×496]b"`,
      '| body, 2 lines, 7',
      '|     characters:',
      '|     x',
      `|     ${'\u0301'.repeat(4)}\\u{301}`,
    ],
  ],
  [
    'marks that the value has itself',
    { one: '␣', body: 'a\\u{200b}b\n↳ x\n→   y' },
    [
      String.raw`| one: "\u{2423}"`,
      '| body, 3 lines, 20',
      '|     characters:',
      String.raw`|     a\u{5c}u{200b}b`,
      String.raw`|     \u{21b3} x`,
      String.raw`|     \u{2192}   y`,
    ],
  ],
])('%s can be told apart on a narrow screen', (_, input, rows) => {
  expect(rowsOf(input, { columns: 'command' in input ? 80 : 28 })).toEqual(rows);
});

test.each([
  ['after a selector that is written out', '\ufe0f\u200d👩', '\ufe0f👩'],
  [
    'after a mark that is written out',
    '\u0915\u0901\u0902\u0903\u093c\u094d\u200d',
    '\u0915\u0901\u0902\u0903\u093c\u094d',
  ],
  ['between many marks', `\u0628${'\u064e\u200d'.repeat(9)}\u0628`, `\u0628${'\u064e'.repeat(9)}\u200d\u0628`],
])('a joiner %s can be seen', (_, one, other) => {
  for (const end of ['', '\n']) {
    expect(rowsOf({ a: one + end })).not.toEqual(rowsOf({ a: other + end }));
    expect(rowsOf({ a: one + end }).join('')).toContain(String.raw`\u{200d}`);
  }
});

test('removed and added lines are told apart by a sign, and by a colour', () => {
  const rows = argumentRows({ search: 'a', replace: 'b' }, { columns: 80, style: colours, isOpen: false });
  expect(rows.slice(1)).toEqual(['|   \u001B[31m- a\u001B[39m', '|   \u001B[32m+ b\u001B[39m']);
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
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
