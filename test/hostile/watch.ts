import { computedMs } from '../computed.js';

export const RESOLUTION_MS = 5;

/**
 * The longest that the event loop was kept from others by what it computed: between two looks at it, each as soon as it allows. Of the thread alone, and
 * not by the clock on the wall, because others have work to do on this machine, too.
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

/** Memory at its largest, looked at as often as the event loop allows. */
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
