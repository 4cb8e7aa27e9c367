import { expect, test } from 'vitest';
import { styleFor } from '../output/style.js';
import { textWidth } from '../terminal/text/text-width.js';
import { answeredRow, choiceRows, titleRows } from './frame.js';

const style = styleFor({ isTerminal: false, columns: 80, write: () => {} }, { env: {}, noColor: true });
const title = 'Server "github" asks you something, and its name is long';

test.each([40, 80, 120])(
  'in %i columns the title of a dialog is a line, and no row is wider than the screen',
  (columns) => {
    const rows = titleRows(title, { columns, style, isPlain: false });
    expect(rows[0]).toBe('');
    expect(rows[1]).toMatch(/^── Server "github" .*─$/u);
    for (const row of rows) expect(textWidth(row)).toBeLessThan(columns);
  },
);

test('a plain title is words alone', () => {
  expect(titleRows('Sign-in to "x"', { columns: 80, style, isPlain: true })).toEqual(['', '=== Sign-in to "x" ===']);
  expect(titleRows('a\u001B[2Jb\n=== c ===', { columns: 80, style, isPlain: true })[1]).not.toMatch(/\p{Cc}/u);
});

test('choices and the folded line are wrapped between words', () => {
  const look = { columns: 40, style };
  expect(
    choiceRows([['a', 'always: writes the rule mcp__x__y to ~/.config/plugboard/projects/0123456789.json']], look),
  ).toEqual([
    '  a  always: writes the rule mcp__x__y',
    '     to',
    '     ~/.config/plugboard/projects/',
    '     0123456789.json',
    'a: ',
  ]);
  expect(answeredRow(true, 'github.create_issue allowed in this session', look)).toBe(
    '✔ github.create_issue allowed in this\n  session',
  );
});
