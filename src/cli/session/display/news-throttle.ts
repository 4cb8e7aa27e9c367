/** Limits the news of each server: one that changes all the time would scroll away everything else. */
export class NewsThrottle {
  readonly #now: () => number;
  readonly #told = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `last`: say now that the server is not reported for a while. */
  next(name: string): 'tell' | 'last' | 'silent' {
    const now = this.#now();
    const lately = (this.#told.get(name) ?? []).filter((time) => now - time < WHILE_MS);
    if (lately.length > TIMES) return 'silent';
    this.#told.set(name, [...lately, now]);
    return lately.length < TIMES ? 'tell' : 'last';
  }
}

const TIMES = 3;
const WHILE_MS = 60_000;
