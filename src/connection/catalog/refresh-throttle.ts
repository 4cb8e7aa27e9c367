import type { Clock } from '../../model/clock.js';

export interface RefreshThrottleOptions<K> {
  readonly clock: Clock;
  /** Contract: never rejects. */
  readonly refresh: (key: K) => Promise<void>;
}

/**
 * How often lists are asked for anew, however often they change: the first time at once, then twice a second at most. What
 * changes while it is being asked for is asked for once more, so that the last change is never lost.
 */
export class RefreshThrottle<K> {
  readonly #options: RefreshThrottleOptions<K>;
  readonly #wanted = new Set<K>();
  readonly #underWay = new Map<K, Promise<void>>();
  /** Those that are to begin as soon as the one under way is over. */
  readonly #next = new Map<K, Promise<void>>();
  #timer: Disposable | undefined;
  #notBefore = -Infinity;
  #isStopped = false;

  constructor(options: RefreshThrottleOptions<K>) {
    this.#options = options;
  }

  /** When it is their time. */
  ask(keys: readonly K[]): void {
    for (const key of keys) this.#wanted.add(key);
    this.#go();
  }

  /** At once, or as soon as what is under way is over, which may have begun too early. */
  async now(keys: readonly K[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#startNext(key)));
  }

  /** Resolves when it has been asked for; undefined while nobody asks. */
  underWay(key: K): Promise<void> | undefined {
    return this.#underWay.get(key);
  }

  /** Nothing begins any more. */
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
    // A list that is being asked for is waited for, and does not hold up the others.
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
