import type { Clock } from '../model/clock.js';
import type { JsonRpcResponse } from './message.js';
import type { Pipe } from './pipe.js';

/** Sends our responses to a server's requests, no faster than the server accepts them. */
export class Replies {
  readonly #pipe: Pipe;
  readonly #clock: Clock;
  readonly #lost: () => void;
  /** Responses handed to the pipe that it has not accepted yet. */
  #underWay = 0;
  #waiting: JsonRpcResponse[] = [];
  #timer: Disposable | undefined;

  /** `lost` is called for each response that did not reach the server. */
  constructor(pipe: Pipe, clock: Clock, lost: () => void) {
    this.#pipe = pipe;
    this.#clock = clock;
    this.#lost = lost;
  }

  send(response: JsonRpcResponse): void {
    if (this.#underWay < AT_ONCE && this.#pipe.backlog <= BACKLOG) return this.#handOver(response);
    // A server that sends requests and does not read would otherwise fill our memory with responses.
    if (this.#waiting.length >= WAITING) return this.#lost();
    this.#waiting.push(response);
    // With none being sent, no callback tells that the backlog has shrunk: check it again later.
    if (this.#underWay === 0) this.#timer ??= this.#clock.after(LOOK_MS, () => this.#look());
    return undefined;
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
    this.#look();
  }

  #look(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const response of waiting) this.send(response);
  }
}

const BACKLOG = 1_000_000;
const AT_ONCE = 16; // over HTTP each holds a connection until it is accepted, and calls need connections too
const WAITING = 256;
const LOOK_MS = 20;
