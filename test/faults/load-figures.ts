import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { computedMs } from '../computed.js';

/** Whether the long versions run, which need an otherwise idle machine. */
export const IS_FULL = Boolean(process.env['PLUGBOARD_FULL']);

export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  // Objects that finalizers release become garbage in the next turn of the event loop.
  for (let turns = 0; turns < 3; turns++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface Possessions {
  readonly descriptors: number;
  /** Listeners on `process`, for all events together. */
  readonly listeners: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

/** The resources that this process holds after a garbage collection. */
export async function possessions(): Promise<Possessions> {
  await collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  const events = process.eventNames();
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: events.reduce((sum, event) => sum + process.listenerCount(event), 0),
    heapMb: heapUsed / 1e6,
    rssMb: rss / 1e6,
  };
}

/** The longest time that the event loop was blocked, in milliseconds. */
export interface Stall {
  /** CPU time that this thread used between two looks. */
  readonly stallMs: number;
  /** Wall-clock time, which includes other work of the machine. */
  readonly delayMs: number;
}

export function watchStall(): { stop(): Stall } {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let stallMs = 0;
  let used = computedMs();
  const look = (): void => {
    const now = computedMs();
    stallMs = Math.max(stallMs, now - used);
    used = now;
  };
  const timer = setInterval(look, STEP_MS);
  return {
    stop() {
      look();
      clearInterval(timer);
      delay.disable();
      return { stallMs, delayMs: delay.max / 1e6 };
    },
  };
}

const STEP_MS = 2;

/** The smallest value that this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** Least-squares slope: how much y grows with each unit of x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return above / below;
}

/** Prints the figures of one fault on one line. */
export function tell(fault: string, figures: Readonly<Record<string, number | string>>): void {
  const parts = Object.entries(figures).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? Number(value.toFixed(2)) : value}`,
  );
  console.log(`${fault}: ${parts.join(', ')}`);
}
