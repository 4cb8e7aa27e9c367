import { randomUUID } from 'node:crypto';
import { readdirSync, watch } from 'node:fs';
import { MARK, processesLeft } from '../hostile/processes.js';

/** Processes and file descriptors that a test run leaves behind. */
export interface Leftovers {
  /** For the environment of every server: marks the server and every process it starts. */
  readonly env: Record<string, string>;
  /** Waits until nothing is left, up to a minute for each kind. Kills the processes that are left after that. */
  count(): Promise<{ readonly processes: number; readonly descriptors: number }>;
}

/** Starts to watch: descriptors that are open now do not count. */
export function watchLeftovers(): Leftovers {
  const mark = randomUUID();
  // The first `fs.watch` of a process opens a descriptor that Node keeps open.
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

/** The descriptors of this process. The list includes the one that reads the folder. */
export function openDescriptors(): ReadonlySet<string> {
  return new Set(readdirSync('/proc/self/fd'));
}

const CLOSING_MS = 60_000; // guards against a hang: a busy machine closes sockets late
const LOOK_MS = 10;
