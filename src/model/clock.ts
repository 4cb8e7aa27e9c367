/** The source of time, supplied by the embedder: the system clock, or one that a test moves by hand. */
export interface Clock {
  /** Milliseconds that never go back, even when the system date is changed. */
  monotonic(): number;
  /** Calls `run` once after `ms`, unless disposed of before. The timer does not keep the process alive. */
  after(ms: number, run: () => void): Disposable;
  /** Keeps the process alive until disposed of. */
  hold(): Disposable;
  /** Calls `run` in the next turn of the event loop, after pending I/O has been handled. */
  soon(run: () => void): void;
}
