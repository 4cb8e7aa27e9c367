/**
 * Values in the order in which they came, for what comes and goes with every call. A Set or Map keeps dead entries
 * reachable from its outgrown tables until a full collection; here what leaves, leaves no trace.
 */
export class LinkedList<Value> {
  #first: Link<Value> | undefined;
  #last: Link<Value> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Value | undefined {
    return this.#first?.value;
  }

  get last(): Value | undefined {
    return this.#last?.value;
  }

  /** Appends a value; it stays until the result is disposed of. */
  add(value: Value): Disposable {
    const before = this.#last;
    const link = new Link(value, this);
    link.previous = before;
    if (before) before.next = link;
    else this.#first = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** Takes out the oldest. */
  shift(): Value | undefined {
    const link = this.#first;
    link?.[Symbol.dispose]();
    return link?.value;
  }

  /** All values as they are now, oldest first. */
  values(): Value[] {
    const values: Value[] = [];
    for (let link = this.#first; link; link = link.next) values.push(link.value);
    return values;
  }

  /** The newest one that is wanted. */
  findLast(isWanted: (value: Value) => boolean): Value | undefined {
    let link = this.#last;
    while (link && !isWanted(link.value)) link = link.previous;
    return link?.value;
  }

  clear(): void {
    while (this.#size > 0) this.shift();
  }

  /** For the link alone, which is in this list. */
  remove({ previous, next }: Link<Value>): void {
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    this.#size--;
  }
}

/** The place of a value in a list. */
class Link<Value> implements Disposable {
  readonly value: Value;
  #list: LinkedList<Value> | undefined;
  next: Link<Value> | undefined = undefined;
  previous: Link<Value> | undefined = undefined;

  constructor(value: Value, list: LinkedList<Value>) {
    this.value = value;
    this.#list = list;
  }

  /** A link that has left holds none of the others: it may be older than they are, and outlive them. */
  [Symbol.dispose](): void {
    const list = this.#list;
    if (!list) return;
    list.remove(this);
    this.#list = this.next = this.previous = undefined;
  }
}
