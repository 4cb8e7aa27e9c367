import type { Clock } from '../../model/clock.js';
import { systemClock } from '../clock.js';

/**
 * Holds requests back while a near server is being asked for its stream, as long as no connection is free for them: most
 * servers answer at once that they have none, and then the connection is free again. With hundreds of servers, opening
 * another one is a tenth of the work of starting them.
 */
export class StreamHold {
  readonly #clock: Clock;
  /** How long the server took for its last response. */
  #tookMs = Infinity;
  /** No stream has been asked for yet. */
  #isMeasuring = true;
  #held: (() => void)[] | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** The time now, for `answered`; undefined where nobody needs it any more. */
  get now(): number | undefined {
    return this.#isMeasuring ? this.#clock.monotonic() : undefined;
  }

  /** `since`: when the request was sent. */
  answered(since: number | undefined): void {
    if (since !== undefined && this.#isMeasuring) this.#tookMs = this.#clock.monotonic() - since;
  }

  /** The server is asked for its stream. Requests are held back the first time only, when there are no others yet. */
  begin(): void {
    const tookMs = this.#isMeasuring ? this.#tookMs : Infinity;
    this.#isMeasuring = false;
    if (tookMs > NEAR_MS) return;
    this.#held = [];
    // A server that takes much longer for this may keep the answer back until it has something to say.
    this.#timer = this.#clock.after(Math.min(TIMES * tookMs, LONGEST_MS), () => this.end());
  }

  /** Whether requests are held back now. */
  get isActive(): boolean {
    return this.#held !== undefined;
  }

  /** Calls `send` once requests are not held back any more. Contract: `send` must not throw. */
  add(send: () => void): void {
    if (this.#held) this.#held.push(send);
    else send();
  }

  /** The server has opened the stream, or refused it. Idempotent. */
  end(): void {
    const held = this.#held;
    if (!held) return;
    this.#timer?.[Symbol.dispose]();
    this.#held = undefined;
    // Not from within undici's parser, which has the connection free only after it has returned.
    queueMicrotask(() => {
      for (const send of held) send();
    });
  }
}

const TIMES = 3;
const NEAR_MS = 50; // ms; a server that is further away and has a stream would be ready noticeably later
const LONGEST_MS = 100; // ms
