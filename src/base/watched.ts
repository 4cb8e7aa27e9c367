/** A state that can be read, watched and awaited. Values that belong together form one state, and are set at once. */
export class Watched<State> {
  #value: State;
  #changes = 0;
  #waiting: (() => void)[] = [];
  readonly #listeners = new Set<Listener<State>>();

  constructor(first: State) {
    this.#value = first;
  }

  get value(): State {
    return this.#value;
  }

  /**
   * Calls the listeners before it returns, in order. A listener may set the next state; the rest are then called with
   * the latest only. If one throws, the others are still called, and the first error is thrown at the end.
   */
  set(value: State): void {
    const before = this.#value;
    if (Object.is(value, before)) return;
    this.#value = value;
    const change = ++this.#changes;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
    const errors: unknown[] = [];
    for (const listener of Array.from(this.#listeners)) {
      if (this.#changes !== change) break; // a listener has set the next state, and all were called with that
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.tell(value, before);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Calls `tell` with each new state until disposed of. */
  watch(tell: (value: State, before: State) => void): Disposable {
    const listener = { tell }; // an object of its own: the same function may watch twice
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /**
   * Resolves with the first state that fits; rejects only if `fits` throws. Looks in a later microtask: a state that is
   * replaced in the same turn is not seen.
   */
  async until(fits: (value: State) => boolean): Promise<State> {
    while (!fits(this.#value)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#value;
  }
}

interface Listener<State> {
  readonly tell: (value: State, before: State) => void;
}
