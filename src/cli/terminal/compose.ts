import type { Frame, Size } from './footer.js';
import type { Zone } from './screen.js';
import { cutToColumns } from './text/text-width.js';

/** What a key handler shows: rows with a cursor, and rows below them, such as a menu. */
export interface KeyHandlerFrame extends Frame {
  readonly below?: readonly string[];
}

export interface Parts {
  readonly zones: Readonly<Partial<Record<Zone, readonly string[]>>>;
  readonly keyHandler: KeyHandlerFrame | undefined;
}

/** Everything at the foot, from top to bottom. Where room is short, the rows of the key handler stay. */
export function composeRows({ zones, keyHandler }: Parts, { columns, rows }: Size): Frame {
  let room = Math.max(rows - 1, 1); // leaves one printed row visible
  const first = (wanted: readonly string[] = []): readonly string[] => {
    const got = wanted.slice(0, room);
    room -= got.length;
    return got;
  };
  const last = (wanted: readonly string[] = []): readonly string[] => {
    const got = room === 0 ? [] : wanted.slice(-room);
    room -= got.length;
    return got;
  };
  // The end of a question is kept, because the answer is typed there.
  const taking = last(keyHandler?.rows);
  const below = first(keyHandler?.below);
  const status = first(zones.status);
  const dialog = last(zones.dialog);
  const work = last(zones.work);
  const stream = last(zones.stream);
  const hidden = (keyHandler?.rows.length ?? 0) - taking.length;
  const cursor = keyHandler?.cursor && {
    row: stream.length + work.length + dialog.length + Math.max(keyHandler.cursor.row - hidden, 0),
    column: Math.min(keyHandler.cursor.column, columns - 1),
  };
  const all = [...stream, ...work, ...dialog, ...taking, ...below, ...status];
  return { rows: all.map((row) => cutToColumns(row, columns)), cursor };
}

/** How many rows of a dialog can be seen above the question. */
export function dialogRoom({ zones, keyHandler }: Parts, { rows }: Size): number {
  const taken = [keyHandler?.rows, keyHandler?.below, zones.status, zones.dialog];
  return Math.max(rows - 1 - taken.reduce((sum, some) => sum + (some?.length ?? 0), 0), 0);
}
