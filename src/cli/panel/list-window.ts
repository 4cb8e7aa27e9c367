export interface ListWindow {
  readonly count: number;
  /** How many rows there is room for. */
  readonly height: number;
  /** The first that is shown, as of now. */
  readonly top: number;
  /** The one that has to be seen whole. */
  readonly at: number;
  /** Rows of one of them; 1 unless said otherwise. */
  readonly rowsOf?: (index: number) => number;
}

/** The first of a list that is to be shown: moved as little as possible, and nothing left empty while there is more. */
export function windowTop({ top, at, ...list }: ListWindow): number {
  const { count } = list;
  const last = Math.max(0, Math.min(count - fitting(count - 1, -1, list), count - 1));
  const wanted = Math.max(0, Math.min(top, at, last));
  const end = Math.min(at, count - 1);
  const lowest = end - Math.max(fitting(end, -1, list) - 1, 0);
  return Math.max(wanted, Math.min(lowest, last));
}

/** How many of them a page moves by, from one on. At least one: who pages gets on. */
export function pageFrom(start: number, step: 1 | -1, list: Omit<ListWindow, 'top' | 'at'>): number {
  return Math.max(1, fitting(start, step, list) - 1);
}

/** How many of them there is room for, from one on. */
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
