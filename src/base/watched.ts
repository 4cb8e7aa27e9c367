/** A state that can be read, watched and waited for. What belongs together is one state, and is set in one piece. */
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
   * Listeners are called before this returns, in the order in which they came; one of them may set the next state, and the others hear
   * of the latest only. A listener that throws keeps no other from being called: the first error is thrown at the end.
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
      if (this.#changes !== change) break; // a listener has set the next state, which everybody was told of then
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.tell(value, before);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Called with each new state until it is disposed of. */
  watch(tell: (value: State, before: State) => void): Disposable {
    const listener = { tell }; // an object of its own: the same function may watch twice
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /**
   * Resolves with the first state that fits; never rejects unless `fits` throws. It looks when whoever set the state has finished its turn:
   * a state that lasted no longer is not seen.
   */
  async until(fits: (value: State) => boolean): Promise<State> {
    while (!fits(this.#value)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#value;
  }
}

interface Listener<State> {
  readonly tell: (value: State, before: State) => void;
}
