import { gateLine } from '../../../model/text/text-gate.js';
import { showLine } from '../../../model/show.js';
import { wrapExact, wrapText } from '../../terminal/text/text-width.js';

/** Text of a server or a model; every row begins with a bar, so that none can pass for Plugboard's. Nothing is cut. */
export function quotedRows(text: string, columns: number, indent = ''): string[] {
  const room = roomIn(columns) - BAR.length - indent.length;
  return text
    .split('\n')
    .flatMap((line) => wrapText(gateLine(line).text, room).map((row) => `${BAR}${indent}${row}`.trimEnd()));
}

/** One line to decide about, with all its blanks. Where it is wrapped, it goes on further to the right. */
export function hangingRows(line: string, columns: number): string[] {
  const lead = /^ */u.exec(line)![0].length;
  const rows = wrapExact(gateLine(line).text, roomIn(columns) - BAR.length, lead + 4);
  return withoutOwnBlank(rows).map((row) => `${BAR}${row}`);
}

/** Rows of `wrapExact` of a name and its value. Where only the name is in the first row, the blank after it is ours. */
export function withoutOwnBlank([first = '', ...others]: readonly string[]): string[] {
  return [first.replace(/^( *(?:-|[\w$.-]+:|"(?:[^"\\]|\\.)*":))␣$/u, '$1'), ...others];
}

/** Plugboard's own text that may quote a server or a model: rows after the first are indented. */
export function ownRows(text: string, columns: number, indent = 2): string[] {
  return wrapText(showLine(text), roomIn(columns), indent);
}

/** Leaves the last column free: a terminal may start a new row after it. */
export function roomIn(columns: number): number {
  return Math.max(columns, NARROWEST) - 1;
}

export const BAR = '| ';
/** Columns; in fewer, the terminal would wrap the rows itself, without a bar. */
export const NARROWEST = 8;
