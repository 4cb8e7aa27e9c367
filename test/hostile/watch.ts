import { computedMs } from '../computed.js';

export const RESOLUTION_MS = 5;

/**
 * The longest time that computing kept the event loop busy, between two looks that are as close as the loop allows.
 * Measured in CPU time of the thread, because wall-clock time includes other work of the machine.
 */
export function watchStall(): { stop(): number } {
  let stallMs = 0;
  let used = computedMs();
  const look = (): void => {
    const now = computedMs();
    stallMs = Math.max(stallMs, now - used);
    used = now;
  };
  const timer = setInterval(look, RESOLUTION_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return Math.round(stallMs);
    },
  };
}

/** The peak growth of memory, sampled as often as the event loop allows. */
export function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss();
  let largest = before;
  const look = (): void => void (largest = Math.max(largest, process.memoryUsage.rss()));
  const timer = setInterval(look, RESOLUTION_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return Math.round((largest - before) / 1_048_576);
    },
  };
}
