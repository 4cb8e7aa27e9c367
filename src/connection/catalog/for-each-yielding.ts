import { TimeSlice } from '../../edge/time-slice.js';
import type { Clock } from '../../model/clock.js';

/** Visits one after the other, and lets everybody else have their turn in between: ten thousand in one go would hold them up. */
export async function forEachYielding<T>(clock: Clock, items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  const turns = new TimeSlice(clock);
  for (const item of items) {
    const pause = turns.pause();
    if (pause) await pause;
    visit(item);
  }
}
