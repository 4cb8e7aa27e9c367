import type { Clock } from '../../model/clock.js';

export interface SaveDebounceOptions {
  readonly clock: Clock;
  /** Contract: never rejects. */
  readonly save: () => Promise<void>;
}

/** When a catalog is written down: soon after something changed, so that many lists make one write, and not again and again. */
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

  /** What is to be written is written at once, and waited for. */
  async flush(): Promise<void> {
    this.#stopTimer();
    while (this.#saving || this.#isWanted) await (this.#saving ?? this.#save());
  }

  /** What was to be written is not; what is under way is waited for. */
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

const SOON_MS = 5_000; // nobody waits for it, and hundreds of servers may be starting
const GAP_MS = 10_000; // a server that changes its tools twice a second must not wear out a disk
