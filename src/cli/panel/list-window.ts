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
export function windowTop({ count, height, top, at, rowsOf = one }: ListWindow): number {
  const last = lastTop({ count, height, rowsOf });
  const wanted = Math.max(0, Math.min(top, at, last));
  let room = height;
  let lowest = Math.min(at, count - 1);
  for (let index = lowest; index >= 0; index--) {
    room -= rowsOf(index);
    if (room < 0) break;
    lowest = index;
  }
  return Math.max(wanted, Math.min(lowest, Math.max(last, 0)));
}

/** How many of them fit in, from one on. At least one: who pages gets on. */
export function pageFrom(
  start: number,
  step: 1 | -1,
  { count, height, rowsOf = one }: Omit<ListWindow, 'top' | 'at'>,
): number {
  let room = height;
  let page = 0;
  for (let index = start; index >= 0 && index < count; index += step) {
    room -= rowsOf(index);
    if (room < 0) break;
    page++;
  }
  return Math.max(1, page - 1);
}

function lastTop({ count, height, rowsOf = one }: Omit<ListWindow, 'top' | 'at'>): number {
  let room = height;
  let top = count;
  while (top > 0) {
    room -= rowsOf(top - 1);
    if (room < 0) break;
    top--;
  }
  return Math.min(top, Math.max(count - 1, 0));
}

function one(): number {
  return 1;
}
