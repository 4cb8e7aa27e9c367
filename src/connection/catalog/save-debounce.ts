import type { Clock } from '../../model/clock.js';

export interface SaveDebounceOptions {
  readonly clock: Clock;
  /** Contract: never rejects. */
  readonly save: () => Promise<void>;
}

/** Delays saves of a catalog: shortly after a change, so that many lists make one write, with a gap between writes. */
export class SaveDebounce {
  readonly #options: SaveDebounceOptions;
  #timer: Disposable | undefined;
  #isWanted = false;
  #saving: Promise<void> | undefined;
  #notBefore = -Infinity;

  constructor(options: SaveDebounceOptions) {
    this.#options = options;
  }

  ask(): void {
    this.#isWanted = true;
    if (this.#timer || this.#saving) return;
    const { clock } = this.#options;
    const wait = Math.max(SOON_MS, this.#notBefore - clock.monotonic());
    this.#timer = clock.after(wait, () => void this.flush());
  }

  /** Writes pending changes now, and waits until they are written. */
  async flush(): Promise<void> {
    this.#stopTimer();
    while (this.#saving || this.#isWanted) await (this.#saving ?? this.#save());
  }

  /** Drops pending changes, and waits for a write in flight. */
  async drop(): Promise<void> {
    this.#stopTimer();
    this.#isWanted = false;
    await this.#saving;
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #save(): Promise<void> {
    const { clock, save } = this.#options;
    this.#isWanted = false;
    this.#notBefore = clock.monotonic() + GAP_MS;
    this.#saving = save().finally(() => {
      this.#saving = undefined;
      if (this.#isWanted) this.ask();
    });
    return this.#saving;
  }
}

const SOON_MS = 5_000; // no caller waits for a save, and hundreds of servers may be starting
const GAP_MS = 10_000; // a server that changes its tools twice a second must not wear out the disk
