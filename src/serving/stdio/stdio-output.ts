import type { Writable } from 'node:stream';

export interface StdioOutputOptions {
  /** More is unread than should be; `onDrained` follows. */
  readonly onFull: () => void;
  readonly onDrained: () => void;
  /** Nobody reads any more. Contract: must not throw. */
  readonly onBroken: () => void;
}

/** Lines on stdout. A response is never dropped; what only informs is, where the client does not read. */
export class StdioOutput {
  readonly #output: Writable;
  readonly #options: StdioOutputOptions;
  #isFull = false;
  #isBroken = false;

  constructor(output: Writable, options: StdioOutputOptions) {
    this.#output = output;
    this.#options = options;
    const broken = (): void => {
      if (this.#isBroken) return;
      this.#isBroken = true;
      options.onBroken();
    };
    output.on('error', broken);
    output.on('close', broken);
    output.on('drain', () => {
      if (!this.#isFull) return;
      this.#isFull = false;
      options.onDrained();
    });
  }

  /** Writes a message that the client waits for. */
  write(text: string): void {
    if (this.#isBroken) return;
    this.#output.write(`${text}\n`);
    if (this.#isFull || this.#output.writableLength < FULL) return;
    this.#isFull = true;
    this.#options.onFull();
  }

  /** Writes a notification. False: it was dropped, because the client does not read. */
  inform(text: string): boolean {
    if (this.#isBroken || this.#output.writableLength >= FULL) return false;
    this.write(text);
    return true;
  }

  /** Resolves when everything has been handed over, or nobody reads; never rejects. */
  flushed(): Promise<void> {
    if (this.#isBroken) return Promise.resolve();
    return new Promise((resolve) => {
      this.#output.on('close', () => resolve());
      this.#output.on('error', () => resolve());
      this.#output.write('', () => resolve());
    });
  }
}

const FULL = 1_000_000; // bytes
