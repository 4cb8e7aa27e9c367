import type { JsonRpcResponse } from './message.js';
import type { Pipe } from './pipe.js';

/** Our answers to a server's requests, no more of them at a time than it reads. */
export class Replies {
  readonly #pipe: Pipe;
  readonly #lost: () => void;
  /** Not handed over yet. */
  #waiting = 0;

  /** `lost` is told of each reply that never reached the server. */
  constructor(pipe: Pipe, lost: () => void) {
    this.#pipe = pipe;
    this.#lost = lost;
  }

  send(response: JsonRpcResponse): void {
    // A server that asks and does not read would fill our memory with replies, or our machine with connections.
    if (this.#waiting >= REPLIES_AT_ONCE || this.#pipe.backlog > REPLY_BACKLOG) return this.#lost();
    this.#waiting++;
    this.#pipe.notify(response).then(
      () => this.#waiting--,
      () => {
        this.#waiting--;
        this.#lost();
      },
    );
    return undefined;
  }
}

const REPLY_BACKLOG = 1_000_000;
const REPLIES_AT_ONCE = 16; // over HTTP each holds a connection until the server takes it, and calls need some, too
