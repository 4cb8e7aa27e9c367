import type { Clock } from '../../model/clock.js';

export interface RefreshThrottleOptions<K> {
  readonly clock: Clock;
  /** Contract: never rejects. */
  readonly refresh: (key: K) => Promise<void>;
}

/**
 * Throttles refreshes of lists: the first at once, then at most two a second. A list that changes while it is being
 * fetched is fetched once more, so that the last change is never lost.
 */
export class RefreshThrottle<K> {
  readonly #options: RefreshThrottleOptions<K>;
  readonly #wanted = new Set<K>();
  readonly #underWay = new Map<K, Promise<void>>();
  /** Refreshes that begin as soon as the one in flight for the same key has ended. */
  readonly #next = new Map<K, Promise<void>>();
  #timer: Disposable | undefined;
  #notBefore = -Infinity;
  #isStopped = false;

  constructor(options: RefreshThrottleOptions<K>) {
    this.#options = options;
  }

  /** Refreshes these lists, throttled. */
  ask(keys: readonly K[]): void {
    for (const key of keys) this.#wanted.add(key);
    this.#go();
  }

  /** Refreshes at once, or right after a refresh in flight, which may have begun before the change. */
  async now(keys: readonly K[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#startNext(key)));
  }

  /** Resolves when the refresh in flight has ended; undefined when there is none. */
  underWay(key: K): Promise<void> | undefined {
    return this.#underWay.get(key);
  }

  /** No refresh begins after this. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
    this.#wanted.clear();
  }

  #startNext(key: K): Promise<void> {
    const waiting = this.#next.get(key);
    if (waiting) return waiting;
    const underWay = this.#underWay.get(key);
    if (!underWay) return this.#start(key);
    const next = underWay.then(() => {
      this.#next.delete(key);
      return this.#start(key);
    });
    this.#next.set(key, next);
    return next;
  }

  #start(key: K): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    const { clock, refresh } = this.#options;
    this.#wanted.delete(key);
    this.#notBefore = clock.monotonic() + GAP_MS;
    const refreshing = refresh(key).finally(() => {
      this.#underWay.delete(key);
      this.#go();
    });
    this.#underWay.set(key, refreshing);
    return refreshing;
  }

  #go(): void {
    if (this.#timer || this.#wanted.size === 0 || this.#isStopped) return;
    // A list in flight is refreshed again when it has ended; it does not delay the others.
    const keys = [...this.#wanted].filter((key) => !this.#underWay.has(key));
    if (keys.length === 0) return;
    const { clock } = this.#options;
    const wait = this.#notBefore - clock.monotonic();
    if (wait <= 0) {
      for (const key of keys) void this.#start(key);
      return;
    }
    this.#timer = clock.after(wait, () => {
      this.#timer = undefined;
      this.#go();
    });
  }
}

const GAP_MS = 500;
