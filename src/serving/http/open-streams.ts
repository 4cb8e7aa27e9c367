import type { Clock } from '../../model/clock.js';

/** An HTTP response that is not complete. */
export interface OpenResponse {
  /** Nothing has been sent yet: begins an event stream, so that proxies and clients do not give up. */
  startStream(): void;
  /** Whether it is an event stream. */
  readonly isStream: boolean;
  /** It is open for messages that belong to no request. */
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
  /** Responses that nothing has been sent of, with the time when they become streams; oldest first. */
  readonly #waiting = new Map<OpenResponse, number>();
  readonly #streams = new Set<OpenResponse>();
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
    return this.#waiting.size + this.#streams.size;
  }

  /** How many of them answer a request. */
  get requests(): number {
    let standing = 0;
    for (const { isStanding } of this.#streams) if (isStanding) standing++;
    return this.size - standing;
  }

  /** The response is open, and becomes a stream if it takes long. */
  wait(response: OpenResponse): void {
    const ms = this.#streamAfterMs();
    if (ms <= 0) return response.startStream();
    if (ms < this.#latestMs) this.#shorten(ms);
    this.#latestMs = ms;
    this.#waiting.set(response, this.#clock.monotonic() + ms);
    this.#waitTimer ??= this.#clock.after(ms, () => this.#startStreams());
    return undefined;
  }

  /** No response waits longer than a later one. */
  #shorten(ms: number): void {
    this.#waitTimer?.[Symbol.dispose]();
    this.#waitTimer = undefined;
    const last = this.#clock.monotonic() + ms;
    for (const [response, at] of this.#waiting) this.#waiting.set(response, Math.min(at, last));
    this.#startStreams();
  }

  /** The response has become an event stream. */
  began(response: OpenResponse): void {
    this.#waiting.delete(response);
    this.#streams.add(response);
    this.#keepAliveTimer ??= this.#clock.after(KEEP_ALIVE_MS, () => this.#keepAlive());
  }

  ended(response: OpenResponse): void {
    if (!this.#waiting.delete(response)) this.#streams.delete(response);
  }

  [Symbol.dispose](): void {
    this.#waitTimer?.[Symbol.dispose]();
    this.#keepAliveTimer?.[Symbol.dispose]();
    this.#waiting.clear();
    this.#streams.clear();
  }

  #startStreams(): void {
    this.#waitTimer = undefined;
    const now = this.#clock.monotonic();
    for (const [response, at] of this.#waiting) {
      if (at > now) {
        this.#waitTimer = this.#clock.after(at - now, () => this.#startStreams());
        return;
      }
      this.#waiting.delete(response);
      response.startStream();
    }
  }

  #keepAlive(): void {
    this.#keepAliveTimer = undefined;
    for (const response of this.#streams) response.keepAlive();
    if (this.#streams.size > 0) this.#keepAliveTimer = this.#clock.after(KEEP_ALIVE_MS, () => this.#keepAlive());
  }
}

const KEEP_ALIVE_MS = 15_000;
