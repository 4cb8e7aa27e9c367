/** Throttles redraws: fifteen a second at most, and fewer when a redraw takes long, so that keys do not wait. */
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
const REST = 4; // times as long as a redraw took, the next one waits
