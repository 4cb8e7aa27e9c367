import { pause } from '../../base/pause.js';
import { nextTurn, systemClock } from '../clock.js';
import { killNow } from './process-group.js';
import { findCarriers, findCarriersNow } from './process-scan.js';

/**
 * Kills what carries a mark. Many servers that end at the same time share one look at the processes, because each look
 * costs about a millisecond for a hundred of them.
 */
export class ProcessSweeper {
  readonly #wanted = new Map<string, { readonly waiting: ((clean: boolean) => void)[]; readonly deadline: number }>();
  #running = false;

  /** Resolves, and never rejects, once nothing carries the mark any more: true. False: something would not die in time. */
  sweep(mark: string): Promise<boolean> {
    return new Promise((done) => {
      const waiting = [...(this.#wanted.get(mark)?.waiting ?? []), done];
      this.#wanted.set(mark, { waiting, deadline: systemClock.monotonic() + TIMEOUT_MS });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    using _ = systemClock.hold(); // its timers keep no program alive
    await nextTurn(); // those that end in the same turn come along
    let pauseMs = SHORTEST_PAUSE_MS;
    while (this.#wanted.size > 0) {
      const dying = await this.#look();
      if (dying) await pause(pauseMs, { clock: systemClock });
      pauseMs = dying ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    }
    this.#running = false;
  }

  /** Whether something was found that will be gone in a moment. */
  async #look(): Promise<boolean> {
    // Who asks while the look is under way may have started something behind its back, and waits for the next one.
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

const TIMEOUT_MS = 800; // for the kernel to end what was killed
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20; // who asks meanwhile waits for it
const MOST_ROUNDS = 5;

/** For the last moment of the host: kills, and looks again for what was started meanwhile. Does not see them end. */
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
