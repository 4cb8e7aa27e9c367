import type { Elicitation } from '../../model/hooks/hook-call.js';
import { screenColumns } from '../output/style.js';
import type { Output } from '../io.js';
import { showLine } from '../../model/show.js';

/** How a dialog begins: who asks, in our words, then what it says, marked as its own, then what we have to say to that. */
export function frameQuestion({ server, message, warnings = [] }: Elicitation, what: string, output: Output): string[] {
  const words = message === '' ? ['| (it gives no reason)'] : serverLines(message, output);
  return [
    '',
    `=== Server "${showLine(server)}" ${what} ===`,
    ...words,
    '=== Lines that begin with | are its words, not those of Plugboard ===',
    ...warnings.flatMap((warning) => ownLines(`${ALARM}Warning: ${showLine(warning)}`, output, ALARM)),
  ];
}

/**
 * Words of a server. Every row of the screen that they take begins with a bar, so that none of them can pass for a row of ours: a
 * terminal that breaks a long line by itself would begin the next row with whatever comes then.
 */
export function serverLines(text: string, output: Output, indent = ''): string[] {
  const columns = rowWidth(output) - indent.length - BAR.length;
  const lines = text
    .replaceAll(/\n\s*\n\s*\n/gu, '\n\n')
    .split('\n')
    .flatMap((line) => toRows(showLine(line), columns));
  const shown = lines.length > ROWS ? [...lines.slice(0, ROWS), `… and ${lines.length - ROWS} more rows`] : lines;
  return shown.map((line) => `${BAR}${indent}${line}`.trimEnd());
}

/** What we say ourselves, where it quotes a server: a row that begins in the middle of that begins with the mark. */
export function ownLines(text: string, output: Output, mark = BAR): string[] {
  const columns = rowWidth(output) - mark.length;
  return toRows(text, columns).map((row, at) => (at === 0 ? row : mark + row));
}

/** As much of a text as goes into so many columns. */
export function cutTo(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const letter of text) {
    width += letterWidth(letter);
    if (width > columns) return `${text.slice(0, end)}…`;
    end += letter.length;
  }
  return text;
}

/** One column is left free: a terminal may begin a new row after the last one. */
function rowWidth(output: Output): number {
  return Math.max(Math.min(screenColumns(output), WIDEST), NARROWEST) - 1;
}

function toRows(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  let blank = 0; // where the row could be broken
  for (const letter of line) {
    const wide = letterWidth(letter);
    if (width + wide > columns) {
      const cut = blank > row.length / 2 ? blank : row.length;
      rows.push(row.slice(0, cut));
      row = row.slice(cut).trimStart();
      width = Array.from(row).reduce((sum, one) => sum + letterWidth(one), 0);
      blank = 0;
    }
    row += letter;
    width += wide;
    if (letter === ' ') blank = row.length;
  }
  return [...rows, row];
}

/** Too wide is safe: whatever is not ASCII may take two columns. */
function letterWidth(letter: string): number {
  return letter <= '~' ? 1 : 2;
}

const BAR = '| ';
const ALARM = '!! ';
const ROWS = 40; // more would push away who is asking
const WIDEST = 160;
const NARROWEST = 24;
