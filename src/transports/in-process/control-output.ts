import type { Writable } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { overload } from '../http/overload.js';

/** Writes lines to the output: one write per turn of the event loop, bounded while the reader is slow. */
export class ControlOutput {
  readonly #stream: Writable;
  #bag: string[] = [];
  #bagged = 0;

  /** `lost` is called when the reader is gone. */
  constructor(stream: Writable, lost: (cause?: unknown) => void) {
    this.#stream = stream;
    // This listener is never removed: a late error of the stream would otherwise end the process.
    stream.on('error', lost);
    stream.once('close', () => lost());
  }

  get backlog(): number {
    return this.#stream.writableLength + this.#bagged;
  }

  /** Throws a HostError when the line cannot be written. `server`: the server it is for. */
  write(line: string, server?: string): void {
    const label = server === undefined ? 'It' : `Server "${server}"`;
    if (!this.#stream.writable) {
      throw new HostError('connection-closed', `${label} cannot be reached: the embedding program no longer reads`);
    }
    const hint = 'Wait for its other calls, or look at what keeps the embedding program busy';
    const refusal = overload({ label, backlog: this.backlog, length: line.length, hint });
    if (refusal) throw refusal;
    this.#bagged += line.length;
    if (this.#bag.push(line) === 1) queueMicrotask(this.#flush);
  }

  /** Resolves when all lines have been written, or can no longer be. */
  flush(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      if (!this.#stream.writable || this.#stream.writableLength === 0) return resolve();
      this.#stream.once('close', resolve);
      this.#stream.write('', () => resolve());
    });
  }

  readonly #flush = (): void => {
    const bag = this.#bag;
    if (bag.length === 0) return;
    this.#bag = [];
    this.#bagged = 0;
    bag.push('');
    if (this.#stream.writable) this.#stream.write(bag.join('\n'));
  };
}
