// https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { marksIn } from './process-mark.js';
import { listPids, lookInTurns } from './process-table.js';

/** The pids that carry each wanted mark. A wanted mark is a server's, or the host's part alone: any of its servers. */
export type Carriers = ReadonlyMap<string, readonly number[]>;

/** Scans all processes, some of them in each turn of the event loop. Finds nothing where there is no /proc. */
export async function findCarriers(wanted: ReadonlySet<string>): Promise<Carriers> {
  const scan = new Scan(wanted);
  await lookInTurns(scan.processes(), (pid) => scan.look(pid));
  return scan.found;
}

/** Like `findCarriers`, synchronously, for the exit of the host. */
export function findCarriersNow(wanted: ReadonlySet<string>): Carriers {
  const scan = new Scan(wanted);
  for (const pid of scan.processes()) scan.look(pid);
  return scan.found;
}

const MOST_ROUNDS = 3;
const USUAL_BYTES = 32 * 1024;
const MOST_BYTES = 8 * 1024 * 1024; // more than any system allows at a start

class Scan {
  readonly found = new Map<string, number[]>();
  readonly #wanted: ReadonlySet<string>;
  readonly #seen = new Set([process.pid]);
  /** Pids with an empty environment: during exec a process has none for a moment. */
  #emptyEnvironments: number[] = [];
  #buffer = Buffer.allocUnsafe(USUAL_BYTES);

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /** All pids; then those started meanwhile, because a parent may have ended unseen; then the bare ones again. */
  *processes(): Generator<number> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const fresh = listPids().filter((pid) => !this.#seen.has(pid));
      if (fresh.length === 0) break;
      for (const pid of fresh) this.#seen.add(pid);
      yield* fresh;
    }
    const bare = this.#emptyEnvironments;
    this.#emptyEnvironments = [];
    yield* bare;
  }

  look(pid: number): void {
    const environment = this.#read(pid);
    if (environment?.length === 0) this.#emptyEnvironments.push(pid);
    if (!environment) return;
    for (const mark of new Set(marksIn(environment).flat())) {
      if (!this.#wanted.has(mark)) continue;
      const carriers = this.found.get(mark);
      if (carriers) carriers.push(pid);
      else this.found.set(mark, [pid]);
    }
  }

  /** Valid until the next read. */
  #read(pid: number): Buffer | undefined {
    // Dead processes, kernel threads and other users' processes have no visible `exe`: cheaper to test than an error.
    if (!existsSync(`/proc/${pid}/exe`)) return undefined;
    let file: number | undefined;
    try {
      file = openSync(`/proc/${pid}/environ`, 'r');
      for (;;) {
        const size = readSync(file, this.#buffer, 0, this.#buffer.length, 0);
        if (size < this.#buffer.length || size >= MOST_BYTES) return this.#buffer.subarray(0, size);
        this.#buffer = Buffer.allocUnsafe(2 * size);
      }
    } catch {
      return undefined; // exited meanwhile
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}
