import type { Figures } from './figures.js';

export const RESOLUTION_MS = 5;

/**
 * How late a timer came at worst. What the process did not compute meanwhile, it was not let compute by others on this
 * machine: that is told, and not held against it.
 */
export function watchStall(): { stop(): Pick<Figures, 'stallMs' | 'delayMs'> } {
  let stallMs = 0;
  let delayMs = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const late = now - last - RESOLUTION_MS;
    delayMs = Math.max(delayMs, late);
    stallMs = Math.max(stallMs, Math.min(late, (user + system) / 1000));
    last = now;
    used = process.cpuUsage();
  };
  const timer = setInterval(look, RESOLUTION_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { stallMs: Math.round(stallMs), delayMs: Math.round(delayMs) };
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
