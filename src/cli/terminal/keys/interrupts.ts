export interface InterruptsOptions {
  readonly now: () => number;
  /** The last resort: ends the process. */
  readonly leave: () => void;
}

/** Ctrl-C and Escape while something is under way. The third Ctrl-C leaves, whatever is under way. */
export class Interrupts {
  readonly #options: InterruptsOptions;
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #pressed: readonly number[] = [];

  constructor(options: InterruptsOptions) {
    this.#options = options;
  }

  on(call: () => void): Disposable {
    const listener = { call };
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** For Ctrl-C. */
  press(): void {
    const now = this.#options.now();
    this.#pressed = [...this.#pressed.filter((time) => now - time < INTERRUPT_WINDOW_MS), now];
    if (this.#listeners.size === 0 || this.#pressed.length >= INTERRUPTS_TO_LEAVE) this.#options.leave();
    else this.tell();
  }

  /** For Escape. */
  tell(): void {
    for (const { call } of this.#listeners) call();
  }
}

const INTERRUPTS_TO_LEAVE = 3;
const INTERRUPT_WINDOW_MS = 2_000;
