/**
 * Calls `run` once when the signal aborts, unless disposed of; never when it has aborted already. All callers share one
 * listener: Node searches the listeners for each new one, and warns from the eleventh. `run` must not throw.
 */
export function onAbort(signal: AbortSignal, run: () => void): Disposable;
export function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable | undefined;
export function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable | undefined {
  if (!signal) return undefined;
  const shared = ((signal as SharedSignal)[CALLBACKS] ??= new AbortCallbacks(signal));
  return new AbortCallback(shared, run);
}

const CALLBACKS = Symbol('abort callbacks');
/** Kept on the signal itself, so that the callbacks are freed with it and no module keeps a list. */
type SharedSignal = AbortSignal & { [CALLBACKS]?: AbortCallbacks };

class AbortCallbacks {
  readonly #signal: AbortSignal;
  readonly #callbacks = new Set<AbortCallback>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(callback: AbortCallback): void {
    if (this.#callbacks.size === 0) this.#signal.addEventListener('abort', this.#runAll);
    this.#callbacks.add(callback);
  }

  delete(callback: AbortCallback): void {
    if (this.#callbacks.delete(callback) && this.#callbacks.size === 0)
      this.#signal.removeEventListener('abort', this.#runAll);
  }

  readonly #runAll = (): void => {
    for (const callback of this.#callbacks) {
      this.delete(callback);
      callback.run();
    }
  };
}

class AbortCallback implements Disposable {
  readonly #shared: AbortCallbacks;
  readonly #run: () => void;

  constructor(shared: AbortCallbacks, run: () => void) {
    this.#shared = shared;
    this.#run = run;
    shared.add(this);
  }

  run(): void {
    try {
      this.#run();
    } catch (error) {
      // As Node does with a listener that throws: the others run all the same, and the error is uncaught.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  [Symbol.dispose](): void {
    this.#shared.delete(this);
  }
}
