// https://www.rfc-editor.org/rfc/rfc9112#name-pipelining
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../model/clock.js';

/**
 * Requests that came on a connection before the answer to an earlier one. Each is taken when that one is answered: Node
 * never tells a response that waits for its turn that the connection has closed, so what it is about could not be ended.
 */
export class Pipelines {
  readonly #clock: Clock;
  readonly #waiting = new WeakMap<Socket, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `take` when the response has its turn; never, where the connection closes before. */
  wait(request: IncomingMessage, response: ServerResponse, take: () => void): void {
    const { socket } = request;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > WAITING_LIMIT) {
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, waiting);
    response.once('socket', () => {
      // One in each turn of the event loop: a packet has room for hundreds, and others would wait for all of them.
      this.#clock.soon(() => {
        this.#waiting.set(socket, this.#waiting.get(socket)! - 1);
        if (!socket.destroyed) take();
      });
    });
  }
}

const WAITING_LIMIT = 100; // of one connection; clients of MCP do not do this at all
