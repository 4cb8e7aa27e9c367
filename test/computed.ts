import { readFileSync } from 'node:fs';

/** CPU time of the main thread, in milliseconds; of the whole process where /proc has no figures for threads. */
export function computedMs(): number {
  try {
    return Number.parseInt(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1'), 10) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}

/** Counts turns of the event loop until it is disposed of. */
export function countTurns(): Disposable & { readonly count: number } {
  let count = 0;
  let isOver = false;
  const look = (): void => {
    count++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]() {
      isOver = true;
    },
  };
}
