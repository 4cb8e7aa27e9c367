import type { Size } from './footer.js';
import { wrapText } from './text/text-width.js';

/** Wraps the rows of a question. A blank at the end of a row is kept: the answer follows it. */
export function wrapQuestion(rows: readonly string[], { columns }: Size): string[] {
  return rows.flatMap((row) => {
    const ended = row.trimEnd();
    const wrapped = wrapText(ended, columns - 1);
    return [...wrapped.slice(0, -1), wrapped.at(-1)! + row.slice(ended.length)];
  });
}

/** How many rows must be printed so that the rest fits: no part of a question may be hidden by a small screen. */
export function countTooMany(rows: readonly string[], size: Size): number {
  const room = Math.max(size.rows - MARGIN, 1);
  let count = 0;
  while (count < rows.length - 1 && wrapQuestion(rows.slice(count), size).length > room) count++;
  return count;
}

const MARGIN = 3; // rows above and below
