import type { Frame, Size } from './footer.js';
import type { Zone } from './screen.js';
import { cutToColumns } from './text/text-width.js';

/** What takes keys shows rows with a cursor in them, and rows below those, such as what could be chosen. */
export interface KeyHandlerFrame extends Frame {
  readonly below?: readonly string[];
}

export interface Parts {
  readonly zones: Readonly<Partial<Record<Zone, readonly string[]>>>;
  readonly keyHandler: KeyHandlerFrame | undefined;
}

/** All that stands at the foot, from top to bottom. Where there is not room for all, what somebody is writing stays. */
export function composeRows({ zones, keyHandler }: Parts, { columns, rows }: Size): Frame {
  let room = Math.max(rows - 1, 1); // so that the last row of what was printed can be seen
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
  // The end of a question is where its answer stands.
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
