import type { HookQuestion } from '../../model/hook-call.js';
import { screenColumns } from '../style.js';
import type { Output } from '../io.js';
import { showLine } from '../show.js';

/** How a dialog begins: who asks, in our words, then what it says, marked as its own, then what we have to say to that. */
export function frameQuestion(
  { server, message, warnings = [] }: HookQuestion,
  what: string,
  output: Output,
): string[] {
  const words = message === '' ? ['| (it gives no reason)'] : serverLines(message, output);
  return [
    '',
    `=== Server "${showLine(server)}" ${what} ===`,
    ...words,
    '=== Lines that begin with | are its words, not those of Plugboard ===',
    ...warnings.map((warning) => `!! Warning: ${showLine(warning)}`),
  ];
}

/**
 * Words of a server. Every row of the screen that they take begins with a bar, so that none of them can pass for a row of ours: a
 * terminal that breaks a long line by itself would begin the next row with whatever comes then.
 */
export function serverLines(text: string, output: Output, indent = ''): string[] {
  const columns = Math.max(Math.min(screenColumns(output), WIDEST), NARROWEST) - 1 - indent.length - BAR.length;
  const lines = text
    .replaceAll(/\n\s*\n\s*\n/gu, '\n\n')
    .split('\n')
    .flatMap((line) => toRows(showLine(line), columns));
  const shown = lines.length > ROWS ? [...lines.slice(0, ROWS), `… and ${lines.length - ROWS} more rows`] : lines;
  return shown.map((line) => `${BAR}${indent}${line}`.trimEnd());
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
const ROWS = 40; // more would push away who is asking
const WIDEST = 160;
const NARROWEST = 24;
