import { LinkedList } from '../../base/collections/linked-list.js';
import type { Clock } from '../../model/clock.js';

/** An HTTP response that is not complete, or not yet sent. */
export interface OpenResponse {
  /** Nothing has been sent yet: begins an event stream, so that proxies and clients do not give up. */
  startStream(): void;
  /** Whether it is an event stream. */
  readonly isStream: boolean;
  /** No answer is lost with it: it is open for messages that belong to no request, or another has taken its place. */
  readonly isStanding: boolean;
  /** Shows proxies that the stream lives. */
  keepAlive(): void;
}

/**
 * The responses of one listener that are open. A long call becomes an event stream after a while, and each stream gets
 * a comment now and then: two timers for all, none while nothing is open.
 */
export class OpenStreams implements Disposable {
  readonly #clock: Clock;
  readonly #streamAfterMs: () => number;
  /** The time that the latest response waits. */
  #latestMs = 0;
  /** Responses that nothing has been sent of, oldest first. */
  readonly #waiting = new LinkedList<WaitingResponse>();
  readonly #streams = new LinkedList<OpenResponse>();
  /** Responses that become no stream: their clients take none, or still read the result. */
  readonly #held = new LinkedList<OpenResponse>();
  #waitTimer: Disposable | undefined;
  #keepAliveTimer: Disposable | undefined;

  /** How long a client may read nothing of what waits for it; undefined: as usual. */
  readonly unreadMs: number | undefined;

  /** `streamAfterMs`: asked for each response. */
  constructor(clock: Clock, streamAfterMs: () => number, unreadMs?: number) {
    this.unreadMs = unreadMs;
    this.#clock = clock;
    this.#streamAfterMs = streamAfterMs;
  }

  /** How many are open. */
  get size(): number {
    return this.#waiting.size + this.#streams.size + this.#held.size;
  }

  /** How many of them answer a request. */
  get requests(): number {
    return this.size - this.#streams.values().filter(({ isStanding }) => isStanding).length;
  }

  /** Whether a response is to become a stream before anything is known. */
  get isImmediate(): boolean {
    return this.#streamAfterMs() <= 0;
  }

  /** The response is open, and becomes a stream if it takes long, unless the result is disposed of. */
  wait(response: OpenResponse): Disposable {
    const ms = this.#streamAfterMs();
    if (ms < this.#latestMs) this.#shorten(ms);
    this.#latestMs = ms;
    const place = this.#waiting.add({ response, until: this.#clock.monotonic() + ms });
    this.#waitTimer ??= this.#clock.after(ms, () => this.#startStreams());
    return place;
  }

  /** No response waits longer than a later one. */
  #shorten(ms: number): void {
    this.#waitTimer?.[Symbol.dispose]();
    this.#waitTimer = undefined;
    const last = this.#clock.monotonic() + ms;
    for (const waiting of this.#waiting.values()) waiting.until = Math.min(waiting.until, last);
    this.#startStreams();
  }

  /** The response is an event stream until the result is disposed of. */
  began(response: OpenResponse): Disposable {
    const place = this.#streams.add(response);
    this.#keepAliveTimer ??= this.#clock.after(KEEP_ALIVE_MS, () => this.#keepAlive());
    return place;
  }

  /** The response is open, and becomes no stream, until the result is disposed of. */
  hold(response: OpenResponse): Disposable {
    return this.#held.add(response);
  }

  [Symbol.dispose](): void {
    this.#waitTimer?.[Symbol.dispose]();
    this.#keepAliveTimer?.[Symbol.dispose]();
    this.#waiting.clear();
    this.#streams.clear();
    this.#held.clear();
  }

  #startStreams(): void {
    this.#waitTimer = undefined;
    const now = this.#clock.monotonic();
    for (let oldest = this.#waiting.first; oldest; oldest = this.#waiting.first) {
      const left = oldest.until - now;
      if (left > 0) {
        this.#waitTimer = this.#clock.after(left, () => this.#startStreams());
        return;
      }
      this.#waiting.shift();
      oldest.response.startStream();
    }
  }

  #keepAlive(): void {
    this.#keepAliveTimer = undefined;
    for (const response of this.#streams.values()) response.keepAlive();
    if (this.#streams.size > 0) this.#keepAliveTimer = this.#clock.after(KEEP_ALIVE_MS, () => this.#keepAlive());
  }
}

interface WaitingResponse {
  readonly response: OpenResponse;
  until: number;
}

const KEEP_ALIVE_MS = 15_000;
