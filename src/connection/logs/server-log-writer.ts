import { systemClock } from '../../edge/clock.js';
import { StderrFile } from '../../edge/logs/stderr-file.js';

/**
 * Writes Plugboard's own lines to the logs of servers. A few files at a time, and none stays open: a thousand servers
 * that fail together must not take a thousand descriptors from the others.
 */
export class ServerLogWriter implements AsyncDisposable {
  /** Pending text, by file. */
  readonly #waiting = new Map<string, string>();
  readonly #writers = new Set<Promise<void>>();
  /** Files being written: one writer for each, so that lines stay in order. */
  readonly #underWay = new Set<string>();

  push(file: string, line: string): void {
    this.#waiting.set(file, `${this.#waiting.get(file) ?? ''}${line}\n`);
    this.#start();
  }

  /** Resolves when everything is written or has failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#writers.size > 0) await Promise.all(this.#writers);
  }

  #start(): void {
    if (this.#writers.size >= WRITERS || !this.#next()) return;
    const writer = this.#write().finally(() => {
      this.#writers.delete(writer);
      this.#start(); // lines may have come while this writer was ending
    });
    this.#writers.add(writer);
  }

  async #write(): Promise<void> {
    for (let next = this.#take(); next; next = this.#take()) {
      const [path, text] = next;
      this.#underWay.add(path);
      const file = new StderrFile(path, { clock: systemClock });
      file.push(Buffer.from(text));
      await file[Symbol.asyncDispose]();
      this.#underWay.delete(path);
    }
  }

  #take(): readonly [string, string] | undefined {
    const next = this.#next();
    if (next) this.#waiting.delete(next[0]);
    return next;
  }

  #next(): readonly [string, string] | undefined {
    for (const next of this.#waiting) if (!this.#underWay.has(next[0])) return next;
    return undefined;
  }
}

const WRITERS = 8;
