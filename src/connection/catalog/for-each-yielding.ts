import { TimeSlice } from '../../edge/time-slice.js';
import type { Clock } from '../../model/clock.js';

/** Visits items one by one and yields to the event loop in between: 10,000 in one go would block it. */
export async function forEachYielding<T>(clock: Clock, items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  const turns = new TimeSlice(clock);
  for (const item of items) {
    const pause = turns.pause();
    if (pause) await pause;
    visit(item);
  }
}
