import type { Size } from './footer.js';
import { wrapText } from './text/text-width.js';

/** Rows of a question, broken where the screen ends. A blank at the end of one is where the answer stands. */
export function wrapQuestion(rows: readonly string[], { columns }: Size): string[] {
  return rows.flatMap((row) => {
    const ended = row.trimEnd();
    const wrapped = wrapText(ended, columns - 1);
    return [...wrapped.slice(0, -1), wrapped.at(-1)! + row.slice(ended.length)];
  });
}

/** How many rows have to be printed before the rest fits: nothing that is asked about may be hidden because the screen is too small. */
export function countTooMany(rows: readonly string[], size: Size): number {
  const room = Math.max(size.rows - MARGIN, 1);
  let count = 0;
  while (count < rows.length - 1 && wrapQuestion(rows.slice(count), size).length > room) count++;
  return count;
}

const MARGIN = 3; // rows, for what is above and below
