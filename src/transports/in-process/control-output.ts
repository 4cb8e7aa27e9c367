import type { Writable } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { overload } from '../http/overload.js';

/** Lines on their way out of this process: all of one turn in one write, and bounded while nobody reads. */
export class ControlOutput {
  readonly #stream: Writable;
  #bag: string[] = [];
  #bagged = 0;

  /** `lost` is called when nobody will read any more. */
  constructor(stream: Writable, lost: (cause?: unknown) => void) {
    this.#stream = stream;
    // It stays there: a stream that fails after everybody has gone would end the process otherwise.
    stream.on('error', lost);
    stream.once('close', () => lost());
  }

  get backlog(): number {
    return this.#stream.writableLength + this.#bagged;
  }

  /** Throws a HostError when it cannot be taken; `server` is whom it is for. */
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

  /** Resolves when everything is out, or can never be. */
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
