import { AbortCallbacks, CALLBACKS } from './on-abort.js';

/**
 * The signal of one call, for programs with very many: making Node's own and listening to it took a seventh of the CPU
 * time of a call. For other code it is an AbortSignal; Node's own is made when that listens without `onAbort`.
 */
export class CallSignal implements AbortSignal {
  // `instanceof` and Node's own functions take it for one.
  static {
    Object.setPrototypeOf(CallSignal, AbortSignal);
    Object.setPrototypeOf(CallSignal.prototype, AbortSignal.prototype);
  }

  #callbacks: AbortCallbacks | undefined;
  #node: AbortController | undefined;
  #isAborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get onabort(): AbortSignal['onabort'] {
    return this.#node?.signal.onabort ?? null;
  }

  set onabort(listener: AbortSignal['onabort']) {
    Reflect.set(this.#nodeSignal(), 'onabort', listener);
  }

  /** Where `onAbort` finds who listens. */
  get [CALLBACKS](): AbortCallbacks {
    return (this.#callbacks ??= new AbortCallbacks());
  }

  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#callbacks?.handleEvent();
    // `AbortSignal.any` writes the signals that follow this one into symbols of Node's on this object.
    const followers = Object.getOwnPropertySymbols(this);
    if (!this.#node && followers.length === 0) return;
    const node = this.#nodeSignal();
    for (const symbol of followers) Reflect.set(node, symbol, Reflect.get(this, symbol));
    this.#node!.abort(reason);
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  addEventListener(...listening: Parameters<AbortSignal['addEventListener']>): void {
    this.#nodeSignal().addEventListener(...listening);
  }

  removeEventListener(...listening: Parameters<AbortSignal['removeEventListener']>): void {
    this.#node?.signal.removeEventListener(...listening);
  }

  dispatchEvent(event: Event): boolean {
    return this.#nodeSignal().dispatchEvent(event);
  }

  #nodeSignal(): AbortSignal {
    return (this.#node ??= new AbortController()).signal;
  }
}
