export interface LruLimits {
  readonly count: number;
  /** The largest total size, in the unit that `set` is given. */
  readonly size: number;
}

/** A cache that evicts the least recently used entries. A value larger than the whole limit is not kept. */
export class Lru<T> {
  readonly #limits: LruLimits;
  /** Least recently used first. */
  readonly #entries = new Map<string, { readonly value: T; readonly size: number }>();
  #size = 0;
  /** The most recently used key: looked up again, its entry need not be moved. */
  #newest: string | undefined;

  constructor(limits: LruLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#entries.size;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry.value;
  }

  set(key: string, value: T, size = 0): void {
    this.delete(key);
    if (size > this.#limits.size) return;
    this.#entries.set(key, { value, size });
    this.#newest = key;
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.count && this.#size <= this.#limits.size) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
