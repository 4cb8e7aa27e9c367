import { HostError } from '../../src/base/errors.js';
import type { Figures } from './figures.js';
import { computedMs } from '../computed.js';

const PAUSE_MS = 50; // between two calls; a call costs as much as many a mode

/** Calls a healthy server repeatedly while the host does other work. */
export class NeighbourCalls {
  readonly #call: (text: string) => Promise<string>;
  #over = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #figures = { calls: 0, busiestMs: 0, failed: '' };
  /** Resolvers for callers that wait for the response to the next call. */
  #waiting: (() => void)[] = [];

  constructor(call: (text: string) => Promise<string>) {
    this.#call = call;
    this.#over.abort();
  }

  start(): void {
    this.#over = new AbortController();
    this.#figures = { calls: 0, busiestMs: 0, failed: '' };
    this.#running = this.#run(this.#over.signal);
  }

  async stop(): Promise<Figures['neighbour']> {
    this.#over.abort();
    await this.#running;
    for (const resolve of this.#waiting.splice(0)) resolve();
    const { calls, busiestMs, failed } = this.#figures;
    return { calls, busiestMs: Math.round(busiestMs), failed };
  }

  /** Resolves when a call that has not begun yet is answered; at once when no calls are being made. */
  nextAnswer(): Promise<void> {
    if (this.#over.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async #run(over: AbortSignal): Promise<void> {
    do {
      const waiting = this.#waiting.splice(0);
      await this.#callOnce();
      for (const resolve of waiting) resolve();
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE_MS);
      });
    } while (!over.aborted);
  }

  async #callOnce(): Promise<void> {
    const text = `${this.#figures.calls}`;
    const before = computedMs();
    try {
      const answer = await this.#call(text);
      if (answer !== text) this.#figures.failed = `answered ${answer}`;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.#figures.failed = error.message;
    }
    this.#figures.busiestMs = Math.max(this.#figures.busiestMs, computedMs() - before);
    this.#figures.calls++;
  }
}
