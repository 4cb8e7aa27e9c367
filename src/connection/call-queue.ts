import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import type { Clock } from '../model/clock.js';
import { deadlineIn } from '../wire/deadline.js';
import type { Connection } from './connect.js';

export interface QueueWaitOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly go: (connection: Connection) => void;
  readonly fail: (error: HostError) => void;
}

/** Calls made while a server is disconnected. They wait, in order, until it reconnects or has failed for good. */
export class CallQueue {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  /** Keeps the event loop alive while calls wait: a disconnected server has no process, and timers are unref'd. */
  #hold: Disposable | undefined;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The server is connected again: hands the connection to all waiting calls, in the order in which they were made. */
  flush(connection: Connection): void {
    for (const one of this.#takeAll()) one.go(connection);
  }

  /** The server will not reconnect by itself: rejects all waiting calls. */
  fail(error: HostError): void {
    for (const one of this.#takeAll()) one.fail(error);
  }

  wait({ timeoutMs, signal }: QueueWaitOptions): Promise<Connection> {
    const name = this.#name;
    if (signal?.aborted === true) {
      const text = `A call to server "${name}" was cancelled before it was made`;
      return Promise.reject(new HostError('cancelled', text));
    }
    if (this.#waiting.size >= WAITING_LIMIT) {
      const hint = `See what keeps it away: plugboard doctor ${name}`;
      const text = `${WAITING_LIMIT} calls wait for server "${name}" already`;
      return Promise.reject(new HostError('overloaded', text, { hint }));
    }
    let one: Waiting | undefined;
    const back = new Promise<Connection>((go, fail) => this.#waiting.add((one = { go, fail })));
    this.#hold ??= this.#clock.hold();
    return within(back, {
      signal,
      deadline: deadlineIn(this.#clock, timeoutMs),
      instead: (why) => {
        this.#waiting.delete(one!);
        if (this.#waiting.size === 0) this.#letGo();
        if (why === 'aborted') throw new HostError('cancelled', `A call was cancelled while server "${name}" was away`);
        const text = `Server "${name}" was away for the ${timeoutMs} ms that a call may take`;
        throw new HostError('call-timeout', text, { hint: `See why: plugboard doctor ${name}` });
      },
    });
  }

  #letGo(): void {
    this.#hold?.[Symbol.dispose]();
    this.#hold = undefined;
  }

  #takeAll(): readonly Waiting[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    this.#letGo();
    return all;
  }
}

const WAITING_LIMIT = 10_000; // an agent with more waiting calls than this is out of control
