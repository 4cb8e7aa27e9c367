import { textWidth, wrapText } from './text-width.js';

/** Whether a line is only an address that takes several rows: in one piece it can be selected and copied. */
export function isLongAddress(line: string, columns: number): boolean {
  return line.includes('://') && textWidth(line) >= columns && !/\S\s+\S/u.test(line.trim());
}

/** Wraps a row that is too long for the screen; each row keeps the mark that tells whose words they are. */
export function wrapBlockRow(row: string, columns: number): string[] {
  if (textWidth(row) < columns) return [row];
  const mark = /^(?:\| {0,8}(?:[-+] )?|!! |=> | *)/u.exec(row)![0];
  const room = Math.max(columns - 1 - mark.length, NARROWEST);
  return wrapText(row.slice(mark.length), room).map((part) => mark + part);
}

const NARROWEST = 8; // columns
