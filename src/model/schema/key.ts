import type { Fuel } from './fuel.js';

/** A set of JSON values; equality ignores the order of keys. */
export class ValueSet {
  readonly #plain = new Set<unknown>();
  readonly #keys = new Set<string>();

  /** Returns false when the set already has the value. */
  add(value: unknown, fuel: Fuel): boolean {
    const isPlain = typeof value !== 'object' || value === null;
    const set: Set<unknown> = isPlain ? this.#plain : this.#keys;
    const before = set.size;
    fuel.spend(costOf(value));
    set.add(isPlain ? value : toKey(value, fuel));
    return set.size > before;
  }

  has(value: unknown, fuel: Fuel): boolean {
    fuel.spend(costOf(value));
    if (typeof value !== 'object' || value === null) return this.#plain.has(value);
    return this.#keys.size > 0 && this.#keys.has(toKey(value, fuel));
  }
}

/** A text that equal JSON values share. */
function toKey(value: unknown, fuel: Fuel): string {
  fuel.spend(NODE_COST + costOf(value));
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return value === 0 ? '0' : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => toKey(item, fuel)).join(',')}]`;
  const keys = Object.keys(value).toSorted();
  fuel.spend(keys.length * NODE_COST);
  return `{${keys.map((key) => `${toKey(key, fuel)}:${toKey((value as Record<string, unknown>)[key], fuel)}`).join(',')}}`;
}

const NODE_COST = 20; // units; strings are built, joined and hashed

/** Hashing reads a string once. */
function costOf(value: unknown): number {
  return typeof value === 'string' ? 2 + (value.length >> 3) : 2;
}
