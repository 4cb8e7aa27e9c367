import { pause } from '../../base/pause.js';
import { nextTurn, systemClock } from '../clock.js';
import { killNow } from './process-group.js';
import { findCarriers, findCarriersNow } from './process-scan.js';

/**
 * Kills the processes that carry a mark. Servers that end at the same time share one scan, because a scan costs about a
 * millisecond per hundred processes.
 */
export class ProcessSweeper {
  readonly #wanted = new Map<string, { readonly waiting: ((clean: boolean) => void)[]; readonly deadline: number }>();
  #running = false;

  /** Resolves with true when no process carries the mark any more; with false after 800 ms. Never rejects. */
  sweep(mark: string): Promise<boolean> {
    return new Promise((done) => {
      const waiting = [...(this.#wanted.get(mark)?.waiting ?? []), done];
      this.#wanted.set(mark, { waiting, deadline: systemClock.monotonic() + TIMEOUT_MS });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    using _ = systemClock.hold(); // the clock's own timers do not keep the process alive
    await nextTurn(); // servers that end in the same turn share this scan
    let pauseMs = SHORTEST_PAUSE_MS;
    while (this.#wanted.size > 0) {
      const dying = await this.#look();
      if (dying) await pause(pauseMs, { clock: systemClock });
      pauseMs = dying ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    }
    this.#running = false;
  }

  /** Scans and kills once. Returns whether any process was found, which will be gone in a moment. */
  async #look(): Promise<boolean> {
    // A sweep that is requested during the scan waits for the next one: this one may have missed its processes.
    const asked = [...this.#wanted];
    this.#wanted.clear();
    const found = await findCarriers(new Set(asked.map(([mark]) => mark)));
    for (const [mark, sweep] of asked) {
      const carriers = found.get(mark) ?? [];
      for (const pid of carriers) killNow(pid);
      if (carriers.length > 0 && systemClock.monotonic() < sweep.deadline) {
        sweep.waiting.push(...(this.#wanted.get(mark)?.waiting ?? []));
        this.#wanted.set(mark, sweep);
      } else for (const done of sweep.waiting) done(carriers.length === 0);
    }
    return found.size > 0;
  }
}

const TIMEOUT_MS = 800; // ms for the kernel to end killed processes
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20; // ms; a sweep that is requested meanwhile waits for it
const MOST_ROUNDS = 5;

/** For the exit of the host: kills, and scans again for new processes. Does not wait until they are gone. */
export function sweepNow(mark: string): void {
  const killed = new Set<number>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = findCarriersNow(new Set([mark])).get(mark) ?? [];
    const fresh = found.filter((pid) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      killNow(pid);
      killed.add(pid);
    }
  }
}
