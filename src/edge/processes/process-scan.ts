// https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { marksIn } from './process-mark.js';
import { listPids, lookInTurns } from './process-table.js';

/** Who carries which of the wanted marks. A wanted mark is a server's, or only the host's part of one: any of its servers. */
export type Carriers = ReadonlyMap<string, readonly number[]>;

/** Looks at every process there is, some of them in each turn of the event loop. Nothing is found where there is no /proc. */
export async function findCarriers(wanted: ReadonlySet<string>): Promise<Carriers> {
  const scan = new Scan(wanted);
  await lookInTurns(scan.processes(), (pid) => scan.look(pid));
  return scan.found;
}

/** The same at once, for the last moment of the host. */
export function findCarriersNow(wanted: ReadonlySet<string>): Carriers {
  const scan = new Scan(wanted);
  for (const pid of scan.processes()) scan.look(pid);
  return scan.found;
}

const MOST_ROUNDS = 3;
const USUAL_BYTES = 32 * 1024;
const MOST_BYTES = 8 * 1024 * 1024; // more than the system lets anybody start with

class Scan {
  readonly found = new Map<string, number[]>();
  readonly #wanted: ReadonlySet<string>;
  readonly #seen = new Set([process.pid]);
  /** Without an environment: for a moment, who becomes another program has none. */
  #bare: number[] = [];
  #buffer = Buffer.allocUnsafe(USUAL_BYTES);

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /** All that run; then those that were started meanwhile, for who starts them may have ended unseen; then the bare again. */
  *processes(): Generator<number> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const fresh = listPids().filter((pid) => !this.#seen.has(pid));
      if (fresh.length === 0) break;
      for (const pid of fresh) this.#seen.add(pid);
      yield* fresh;
    }
    const bare = this.#bare;
    this.#bare = [];
    yield* bare;
  }

  look(pid: number): void {
    const environment = this.#read(pid);
    if (environment?.length === 0) this.#bare.push(pid);
    if (!environment) return;
    for (const mark of new Set(marksIn(environment).flat())) {
      if (!this.#wanted.has(mark)) continue;
      const carriers = this.found.get(mark);
      if (carriers) carriers.push(pid);
      else this.found.set(mark, [pid]);
    }
  }

  /** Valid until the next one is read. */
  #read(pid: number): Buffer | undefined {
    // The dead and the kernel's threads have no program, and of others' processes it is not told: asking costs less than an error.
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
      return undefined; // gone meanwhile
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}
