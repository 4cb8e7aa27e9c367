import type { Elicitation } from '../../model/hooks/hook-call.js';
import { screenColumns } from '../output/style.js';
import type { Output } from '../io.js';
import { showLine } from '../../model/show.js';

/** The head of a dialog: which server asks, its message with a bar before each row, then Plugboard's warnings. */
export function frameQuestion({ server, message, warnings = [] }: Elicitation, what: string, output: Output): string[] {
  const words = message === '' ? ['| (the server gives no reason)'] : serverLines(message, output);
  return [
    '',
    `=== Server "${showLine(server)}" ${what} ===`,
    ...words,
    '=== Lines that begin with | are words of the server, not of Plugboard ===',
    ...warnings.flatMap((warning) => ownLines(`${ALARM}Warning: ${showLine(warning)}`, output, ALARM)),
  ];
}

/**
 * A server's text as rows that all begin with a bar, so that none can look like a row of Plugboard's. Lines are wrapped
 * here because rows that a terminal wraps by itself would have no bar.
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

/** Plugboard's own text that quotes a server: every row but the first, which may begin with a quote, gets the mark. */
export function ownLines(text: string, output: Output, mark = BAR): string[] {
  const columns = rowWidth(output) - mark.length;
  return toRows(text, columns).map((row, at) => (at === 0 ? row : mark + row));
}

/** Cuts a text after this many columns and appends `…`. */
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

/** Leaves the last column free: a terminal may start a new row after it. */
function rowWidth(output: Output): number {
  return Math.max(Math.min(screenColumns(output), WIDEST), NARROWEST) - 1;
}

function toRows(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  let blank = 0; // where the row can be broken: after its last space
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

/** Errs on the wide side, which is safe: any character outside ASCII may take two columns. */
function letterWidth(letter: string): number {
  return letter <= '~' ? 1 : 2;
}

const BAR = '| ';
const ALARM = '!! ';
const ROWS = 40; // more rows would scroll the name of the server away
const WIDEST = 160;
const NARROWEST = 24;
