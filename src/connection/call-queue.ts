import { HostError } from '../base/errors.js';
import type { Clock } from '../model/clock.js';
import { allowListeners } from '../wire/allow-listeners.js';
import { deadline } from '../wire/deadline.js';
import type { Link } from './connect.js';

export interface WaitOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly go: (link: Link) => void;
  readonly fail: (error: HostError) => void;
}

/** Calls made while a server is away. Each waits here, in order, until it is back or will not come back. */
export class CallQueue {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  /** While a call waits, the program goes on: a server that is away has no process, and no timer of ours keeps one alive. */
  #hold: Disposable | undefined;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The server is back: everything that waited goes on, in the order in which it came. */
  flush(link: Link): void {
    for (const one of this.#takeAll()) one.go(link);
  }

  /** The server will not come back by itself: nobody waits any longer. */
  fail(error: HostError): void {
    for (const one of this.#takeAll()) one.fail(error);
  }

  wait({ timeoutMs, signal }: WaitOptions): Promise<Link> {
    return new Promise((resolve, reject) => {
      const name = this.#name;
      if (signal?.aborted === true) {
        reject(new HostError('cancelled', `A call to server "${name}" was cancelled before it was made`));
        return;
      }
      if (this.#waiting.size >= WAITING_LIMIT) {
        reject(
          new HostError('overloaded', `${WAITING_LIMIT} calls wait for server "${name}" already`, {
            hint: `See what keeps it away: plugboard doctor ${name}`,
          }),
        );
        return;
      }
      const leave = (): void => {
        this.#waiting.delete(one);
        if (this.#waiting.size === 0) this.#letGo();
        signal?.removeEventListener('abort', cancel);
        timer?.[Symbol.dispose]();
      };
      const one: Waiting = {
        go: (link) => (leave(), resolve(link)),
        fail: (error) => (leave(), reject(error)),
      };
      const cancel = (): void =>
        one.fail(new HostError('cancelled', `A call was cancelled while server "${name}" was away`));
      const timer =
        timeoutMs === undefined || timeoutMs === Infinity
          ? undefined
          : deadline(this.#clock, timeoutMs, () =>
              one.fail(
                new HostError(
                  'call-timeout',
                  `Server "${name}" was away for the ${timeoutMs} ms that a call may take`,
                  {
                    hint: `See why: plugboard doctor ${name}`,
                  },
                ),
              ),
            );
      if (signal) allowListeners(signal);
      signal?.addEventListener('abort', cancel);
      this.#waiting.add(one);
      this.#hold ??= this.#clock.hold();
    });
  }

  #letGo(): void {
    this.#hold?.[Symbol.dispose]();
    this.#hold = undefined;
  }

  #takeAll(): readonly Waiting[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }
}

const WAITING_LIMIT = 10_000; // an agent that makes more than this has lost control
