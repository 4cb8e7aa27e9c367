import type { RequestId } from '../../wire/message.js';
import type { HttpCall } from './http-call.js';

/**
 * The calls of one server that are not over, in no order. Not a Map, because V8 keeps what one has held alive through
 * every table that it outgrew, and so many short lives in one cost a tenth of a call.
 */
export class HttpCalls {
  readonly #calls: HttpCall[] = [];
  /** While a call waits, the program goes on, even where just a timer stands between two connections. */
  readonly #keepAlive = setInterval(() => {}, LONG).unref();

  /** Its place in here, for `remove`. */
  add(call: HttpCall): number {
    if (this.#calls.length === 0) this.#keepAlive.ref();
    return this.#calls.push(call) - 1;
  }

  /** The last one takes its place. */
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
