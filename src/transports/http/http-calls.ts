import type { RequestId } from '../../wire/message.js';
import type { HttpCall } from './http-call.js';

/**
 * The calls of one server in flight, in no order. Not a Map: V8 keeps removed entries alive through every table that
 * the Map has outgrown, which with so many short-lived calls costs a tenth of a call.
 */
export class HttpCalls {
  readonly #calls: HttpCall[] = [];
  /** Keeps the process alive while a call is in flight, even when no connection is open, as between two streams. */
  readonly #keepAlive = setInterval(() => {}, LONG).unref();

  /** Returns the index of the call, for `remove`. */
  add(call: HttpCall): number {
    if (this.#calls.length === 0) this.#keepAlive.ref();
    return this.#calls.push(call) - 1;
  }

  /** Moves the last call to the index of the removed one. */
  remove(call: HttpCall): void {
    const last = this.#calls.pop()!;
    if (last !== call) {
      this.#calls[call.place] = last;
      last.place = call.place;
    }
    if (this.#calls.length === 0) this.#keepAlive.unref();
  }

  find(id: RequestId): HttpCall | undefined {
    return this.#calls.find((call) => call.id === id);
  }

  close(): void {
    while (this.#calls.length > 0) this.#calls.at(-1)!.close();
    clearInterval(this.#keepAlive);
  }
}

const LONG = 2 ** 31 - 1;
