export interface ListWindow {
  readonly count: number;
  /** Rows on the screen. */
  readonly height: number;
  /** The index of the first item shown now. */
  readonly top: number;
  /** The index of the item that must be fully visible. */
  readonly at: number;
  /** Rows that an item takes; 1 by default. */
  readonly rowsOf?: (index: number) => number;
}

/** The index of the first item to show: moved as little as possible, with no empty rows while there are more items. */
export function windowTop({ top, at, ...list }: ListWindow): number {
  const { count } = list;
  const last = Math.max(0, Math.min(count - fitting(count - 1, -1, list), count - 1));
  const wanted = Math.max(0, Math.min(top, at, last));
  const end = Math.min(at, count - 1);
  const lowest = end - Math.max(fitting(end, -1, list) - 1, 0);
  return Math.max(wanted, Math.min(lowest, last));
}

/** How many items a page moves by, starting at `start`. At least one, so that paging always moves. */
export function pageFrom(start: number, step: 1 | -1, list: Omit<ListWindow, 'top' | 'at'>): number {
  return Math.max(1, fitting(start, step, list) - 1);
}

/** How many items fit on the screen, counted from `start`. */
function fitting(
  start: number,
  step: 1 | -1,
  { count, height, rowsOf = () => 1 }: Omit<ListWindow, 'top' | 'at'>,
): number {
  let room = height;
  let found = 0;
  for (let index = start; index >= 0 && index < count; index += step) {
    room -= rowsOf(index);
    if (room < 0) break;
    found++;
  }
  return found;
}
