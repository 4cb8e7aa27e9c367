/** Time, as an embedder supplies it: the machine's own, or one that a test moves by hand. */
export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the date. */
  monotonic(): number;
  /** Runs once, that much later. Disposing of it in time means it never runs. Keeps no process alive by itself. */
  after(ms: number, run: () => void): Disposable;
  /** Until it is disposed of, the program does not end by itself. */
  hold(): Disposable;
  /** Runs in the next turn of the event loop, after whatever has arrived from outside has been taken in. */
  soon(run: () => void): void;
}
