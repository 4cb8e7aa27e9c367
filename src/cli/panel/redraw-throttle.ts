/**
 * Runs something soon after it was asked for, however often that is: fifteen times a second at most, and less often where it takes long, so that keys
 * are not kept waiting.
 */
export class RedrawThrottle implements Disposable {
  readonly #run: () => void;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #isEnded = false;

  constructor(run: () => void) {
    this.#run = run;
  }

  ask(): void {
    if (this.#timer || this.#isEnded) return;
    this.#timer = setTimeout(() => this.now(), Math.max(0, this.#notBefore - performance.now()));
  }

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isEnded) return;
    const start = performance.now();
    this.#run();
    const end = performance.now();
    this.#notBefore = end + Math.max(INTERVAL_MS, (end - start) * REST);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }
}

const INTERVAL_MS = 66;
const REST = 4; // times as long as it took, it is left alone
