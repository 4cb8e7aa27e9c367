import type { JsonRpcResponse } from './message.js';
import type { Pipe } from './pipe.js';

/** Our answers to a server's requests, no more of them at a time than it takes. */
export class Replies {
  readonly #pipe: Pipe;
  readonly #lost: () => void;
  /** Not handed over yet. */
  #underWay = 0;
  #waiting: JsonRpcResponse[] = [];

  /** `lost` is told of each reply that never reached the server. */
  constructor(pipe: Pipe, lost: () => void) {
    this.#pipe = pipe;
    this.#lost = lost;
  }

  send(response: JsonRpcResponse): void {
    if (this.#underWay < AT_ONCE && this.#pipe.backlog <= BACKLOG) this.#handOver(response);
    // A server that asks and does not read would fill our memory with replies.
    else if (this.#underWay > 0 && this.#waiting.length < WAITING) this.#waiting.push(response);
    else this.#lost();
  }

  #handOver(response: JsonRpcResponse): void {
    this.#underWay++;
    this.#pipe.notify(response).then(
      () => this.#next(),
      () => {
        this.#lost();
        this.#next();
      },
    );
  }

  #next(): void {
    this.#underWay--;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const response of waiting) this.send(response);
  }
}

const BACKLOG = 1_000_000;
const AT_ONCE = 16; // over HTTP each holds a connection until the server takes it, and calls need some, too
const WAITING = 256;
