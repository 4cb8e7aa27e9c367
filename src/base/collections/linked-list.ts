/**
 * Values in the order in which they came, for what comes and goes with every call. A Set or Map keeps dead entries
 * reachable from its outgrown tables until a full collection; here what leaves, leaves no trace.
 */
export class LinkedList<Value> {
  /** Closes the ring: its neighbours are the first and the last link. */
  readonly #ends: Link<Value | undefined> = new Link<Value | undefined>(undefined, () => {});
  readonly #onRemove = (): void => void this.#size--;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Value | undefined {
    return this.#ends.next.value;
  }

  get last(): Value | undefined {
    return this.#ends.previous.value;
  }

  /** Appends a value; it stays until the result is disposed of. */
  add(value: Value): Link<Value> {
    const link = new Link(value, this.#onRemove);
    link.insertBefore(this.#ends as Link<Value>);
    this.#size++;
    return link;
  }

  /** Takes out the oldest. */
  shift(): Value | undefined {
    const { next } = this.#ends;
    next[Symbol.dispose]();
    return next.value;
  }

  /** All values as they are now, oldest first. */
  values(): Value[] {
    const values: Value[] = [];
    for (let link = this.#ends.next; link !== this.#ends; link = link.next) values.push(link.value as Value);
    return values;
  }

  /** The newest one that is wanted. */
  findLast(isWanted: (value: Value) => boolean): Value | undefined {
    let link = this.#ends.previous;
    while (link !== this.#ends && !isWanted(link.value as Value)) link = link.previous;
    return link.value;
  }

  clear(): void {
    while (this.#size > 0) this.shift();
  }
}

/** The place of a value in a list. Outside of it, it is its own neighbour. */
export class Link<Value> implements Disposable {
  readonly value: Value;
  readonly #onRemove: () => void;
  next: Link<Value> = this;
  previous: Link<Value> = this;

  constructor(value: Value, onRemove: () => void) {
    this.value = value;
    this.#onRemove = onRemove;
  }

  insertBefore(link: Link<Value>): void {
    this.next = link;
    this.previous = link.previous;
    link.previous.next = this;
    link.previous = this;
  }

  [Symbol.dispose](): void {
    if (this.next === this) return;
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this.previous = this;
    this.#onRemove();
  }
}
