/** Calls the listeners of an event. Contract of a listener: must not throw; the others are called all the same. */
export class Emitter<Events extends { readonly [kind: string]: unknown }> {
  readonly #listeners = new Map<keyof Events, Set<(payload: never) => void>>();
  readonly #onThrow: (error: unknown, kind: keyof Events) => void;

  constructor(onThrow: (error: unknown, kind: keyof Events) => void) {
    this.#onThrow = onThrow;
  }

  /** Disposing of the result removes the listener. */
  on<Kind extends keyof Events>(kind: Kind, listener: (payload: Events[Kind]) => void): Disposable {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners);
    // A wrapper for each call, so that the same function can be registered twice and each one removed alone.
    const entry = (payload: Events[Kind]): void => listener(payload);
    listeners.add(entry);
    return { [Symbol.dispose]: () => void listeners.delete(entry) };
  }

  /** Whether there is a listener. */
  has(kind: keyof Events): boolean {
    return (this.#listeners.get(kind)?.size ?? 0) > 0;
  }

  emit<Kind extends keyof Events>(kind: Kind, payload: Events[Kind]): void {
    for (const listener of this.#listeners.get(kind) ?? []) {
      try {
        (listener as (payload: Events[Kind]) => void)(payload);
      } catch (error) {
        this.#onThrow(error, kind);
      }
    }
  }
}
