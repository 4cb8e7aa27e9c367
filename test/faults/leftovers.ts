import { randomUUID } from 'node:crypto';
import { readdirSync, watch } from 'node:fs';
import { MARK, processesLeft } from '../hostile/processes.js';

/** What a run has to leave behind: nothing. */
export interface Leftovers {
  /** For the environment of every server, so that all that it starts is found again. */
  readonly env: Record<string, string>;
  /** Waits as long as an end may take. Processes that are left are killed. */
  count(): Promise<{ readonly processes: number; readonly descriptors: number }>;
}

/** As of now: what is open already is not the run's. */
export function watchLeftovers(): Leftovers {
  const mark = randomUUID();
  // The first watch of a process opens a descriptor that node keeps for the next one.
  watch('/', { persistent: false }).close();
  const before = openDescriptors().size;
  return {
    env: { [MARK]: mark },
    async count() {
      const processes = await processesLeft(mark);
      const until = performance.now() + CLOSING_MS;
      while (openDescriptors().size > before && performance.now() < until) {
        await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
      }
      return { processes: processes.length, descriptors: Math.max(openDescriptors().size - before, 0) };
    },
  };
}

/** Of this process. The one that reads the list is gone when somebody looks at it. */
export function openDescriptors(): ReadonlySet<string> {
  return new Set(readdirSync('/proc/self/fd'));
}

const CLOSING_MS = 60_000; // a guard: sockets close as soon as the machine gets to it
const LOOK_MS = 10;
