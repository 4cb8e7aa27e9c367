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

export const CALLBACKS = Symbol('abort callbacks');
/** Kept on the signal itself, so that the callbacks are freed with it and no module keeps a list. */
type SharedSignal = AbortSignal & { [CALLBACKS]?: AbortCallbacks };

/** What runs when one signal aborts. */
export class AbortCallbacks {
  readonly #signal: AbortSignal | undefined;
  /** The signal of a call has seldom more than one. */
  #first: AbortCallback | undefined;
  #others: Set<AbortCallback> | undefined;

  /** Without a signal it is for its owner to call `handleEvent`. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  add(callback: AbortCallback): void {
    if (!this.#isEmpty) (this.#others ??= new Set()).add(callback);
    else {
      this.#first = callback;
      this.#signal?.addEventListener('abort', this);
    }
  }

  delete(callback: AbortCallback): void {
    if (callback === this.#first) this.#first = undefined;
    else if (this.#others?.delete(callback) !== true) return;
    if (this.#isEmpty) this.#signal?.removeEventListener('abort', this);
  }

  /** The signal has aborted. */
  handleEvent(): void {
    const first = this.#first;
    if (first) this.#run(first);
    for (const callback of this.#others ?? []) this.#run(callback);
  }

  get #isEmpty(): boolean {
    return this.#first === undefined && (this.#others === undefined || this.#others.size === 0);
  }

  #run(callback: AbortCallback): void {
    this.delete(callback);
    callback.run();
  }
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
