// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import type { Clock } from '../../model/clock.js';

/** A call or a stream that goes on after a legacy client has lost the connection to it. */
export interface AbandonedRequest {
  readonly principal: string;
  /** When the client left last, on the monotonic clock; undefined while it has come back and reads. */
  unreadSince(): number | undefined;
  cancel(): void;
}

export interface AbandonedLimits {
  readonly principal: number;
  readonly all: number;
  readonly ms: number;
}

export const ABANDONED_LIMITS: AbandonedLimits = { principal: 500, all: 2_000, ms: 300_000 };

/**
 * The requests whose clients may come back for the response. One timer cancels those that nobody came back for; a client
 * that calls and leaves again and again has its oldest ones cancelled before.
 */
export class AbandonedRequests implements Disposable {
  readonly #clock: Clock;
  readonly #limits: AbandonedLimits;
  /** With the time when each is looked at; those that began to wait first come first. */
  readonly #waiting = new Map<AbandonedRequest, number>();
  readonly #counts = new Map<string, number>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, limits: AbandonedLimits = ABANDONED_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Disposed of when the request has its response. */
  add(request: AbandonedRequest): Disposable {
    const { principal } = request;
    const { ms } = this.#limits;
    this.#waiting.set(request, this.#clock.monotonic() + ms);
    this.#counts.set(principal, (this.#counts.get(principal) ?? 0) + 1);
    this.#timer ??= this.#clock.after(ms, () => this.#sweep());
    if (this.#counts.get(principal)! > this.#limits.principal) this.#cancelOldest(principal);
    else if (this.#waiting.size > this.#limits.all) this.#cancelOldest(undefined);
    return { [Symbol.dispose]: () => this.#remove(request) };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #cancelOldest(principal: string | undefined): void {
    for (const request of this.#waiting.keys()) {
      const isOther = principal !== undefined && request.principal !== principal;
      if (isOther || request.unreadSince() === undefined) continue;
      this.#remove(request);
      request.cancel();
      return;
    }
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    let next = Infinity;
    for (const [request, at] of this.#waiting) {
      // A client that came back meanwhile has all of the time again from when it leaves.
      const due = at > now ? at : (request.unreadSince() ?? now) + this.#limits.ms;
      if (due <= now) {
        this.#remove(request);
        request.cancel();
        continue;
      }
      this.#waiting.set(request, due);
      next = Math.min(next, due);
    }
    if (next < Infinity) this.#timer ??= this.#clock.after(next - now, () => this.#sweep());
  }

  #remove(request: AbandonedRequest): void {
    if (!this.#waiting.delete(request)) return;
    const count = this.#counts.get(request.principal)! - 1;
    if (count > 0) this.#counts.set(request.principal, count);
    else this.#counts.delete(request.principal);
  }
}
