import { gateLine } from '../../../model/text/text-gate.js';
import { showLine } from '../../../model/show.js';
import { wrapText } from '../../terminal/text/text-width.js';

/**
 * Words of a server or a model. Every row of the screen that they take begins with a bar, so that none of them can pass for a row of
 * ours. Nothing is cut here.
 */
export function quotedRows(text: string, columns: number): string[] {
  const room = roomIn(columns) - BAR.length;
  return text.split('\n').flatMap((line) => wrapText(gateLine(line).text, room).map((row) => `${BAR}${row}`.trimEnd()));
}

/** What we say ourselves, where it may quote somebody: a row that goes on begins with blanks. */
export function ownRows(text: string, columns: number, indent = 2): string[] {
  return wrapText(showLine(text), roomIn(columns), indent);
}

/** One column is left free: a terminal may begin a new row after the last one. */
function roomIn(columns: number): number {
  return Math.max(columns, NARROWEST) - 1;
}

const BAR = '| ';
/** Columns; in fewer, rows are wider than the screen, and broken by the terminal, without a bar. */
export const NARROWEST = 8;
