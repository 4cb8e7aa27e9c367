import { nextTurn } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';

/** Visits one after the other, and lets everybody else have their turn in between: ten thousand in one go would hold them up. */
export async function inTurns<T>(clock: Clock, items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let turnEnds = clock.monotonic() + TURN_MS;
  for (const item of items) {
    if (clock.monotonic() >= turnEnds) {
      await nextTurn();
      turnEnds = clock.monotonic() + TURN_MS;
    }
    visit(item);
  }
}

const TURN_MS = 5;
