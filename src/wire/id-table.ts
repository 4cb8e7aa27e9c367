/**
 * Values by our own request ids. A Map with steady coming and going keeps dead entries reachable from its outgrown
 * tables until a full collection, which made up half of what a call cost above the floor. Open addressing, linear
 * probing, no tombstones: what leaves, leaves no trace.
 */
export class IdTable<Value> {
  #ids = new Int32Array(SMALLEST); // 0 marks an empty slot
  #values: (Value | undefined)[] = Array.from({ length: SMALLEST }, () => undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): Value | undefined {
    const at = this.#find(id);
    return at === -1 ? undefined : this.#values[at];
  }

  has(id: number): boolean {
    return this.#find(id) !== -1;
  }

  /** The id must be new and not 0. */
  add(id: number, value: Value): void {
    if (this.#size * 2 >= this.#ids.length) this.#grow();
    this.#size++;
    this.#put(id, value);
  }

  take(id: number): Value | undefined {
    const at = this.#find(id);
    if (at === -1) return undefined;
    const value = this.#values[at];
    this.#size--;
    this.#close(at);
    return value;
  }

  *entries(): Generator<[id: number, value: Value]> {
    for (const [at, id] of this.#ids.entries()) if (id !== 0) yield [id, this.#values[at]!];
  }

  clear(): void {
    this.#ids.fill(0);
    this.#values.fill(undefined);
    this.#size = 0;
  }

  #find(id: number): number {
    const ids = this.#ids;
    const mask = ids.length - 1;
    for (let at = id & mask; ids[at] !== 0; at = (at + 1) & mask) if (ids[at] === id) return at;
    return -1;
  }

  #put(id: number, value: Value): void {
    const ids = this.#ids;
    const mask = ids.length - 1;
    let at = id & mask;
    while (ids[at] !== 0) at = (at + 1) & mask;
    ids[at] = id;
    this.#values[at] = value;
  }

  /** Moves later entries of the probe sequence into the gap, unless they are in their own slot. */
  #close(gap: number): void {
    const ids = this.#ids;
    const mask = ids.length - 1;
    let hole = gap;
    for (let at = (hole + 1) & mask; ids[at] !== 0; at = (at + 1) & mask) {
      const home = ids[at]! & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      ids[hole] = ids[at]!;
      this.#values[hole] = this.#values[at];
      hole = at;
    }
    ids[hole] = 0;
    this.#values[hole] = undefined;
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = new Int32Array(ids.length * 2);
    this.#values = Array.from({ length: ids.length * 2 }, () => undefined);
    for (const [at, id] of ids.entries()) if (id !== 0) this.#put(id, values[at]!);
  }
}

const SMALLEST = 16;
