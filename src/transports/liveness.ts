import type { Clock } from '../model/clock.js';
import type { AbandonReason } from '../wire/pipe.js';

export interface LivenessOptions {
  readonly clock: Clock;
  /** Milliseconds of silence before a ping; Infinity: only an unanswered request causes one. */
  readonly silenceMs: number;
  /** Milliseconds that the response to such a ping may take. */
  readonly responseTimeoutMs: number;
  /** Whether we have paused reading: then silence proves nothing. */
  readonly isHeld: () => boolean;
  /** Sends a ping. */
  readonly ask: () => void;
  readonly dead: (waitedMs: number) => void;
}

/**
 * Detects a dead connection: one that was cut without notice looks like an idle one. A single timer; incoming bytes do
 * not reset it.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  #receivedAt: number;
  #state: 'listening' | 'asking' | 'stopped' = 'listening';
  #waitMs = 0;
  #timer: Disposable | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#receivedAt = options.clock.monotonic();
    this.#listen(options.silenceMs);
  }

  /** Any incoming byte counts. */
  messageReceived(): void {
    this.#receivedAt = this.#options.clock.monotonic();
    if (this.#state !== 'asking') return;
    this.#state = 'listening';
    this.#listen(this.#options.silenceMs);
  }

  /**
   * A request timed out. If nothing else arrived meanwhile, the connection may be dead: pings now. The wait is longer
   * while other requests are in flight, because the server may be busy with one of them.
   */
  onUnanswered({ isTimedOut, others }: AbandonReason): void {
    const { clock, isHeld } = this.#options;
    if (!isTimedOut || this.#state === 'stopped' || isHeld()) return;
    if (this.#state === 'asking') this.#hurry(others);
    else if (clock.monotonic() - this.#receivedAt >= SUSPICIOUS) this.#ask(others === 0 ? SUSPICION_MS : BUSY_MS);
  }

  stop(): void {
    this.#state = 'stopped';
    this.#timer?.[Symbol.dispose]();
  }

  /** Shortens the wait once no other request is in flight. */
  #hurry(others: number): void {
    if (others > 0 || this.#waitMs <= SUSPICION_MS) return;
    this.#waitMs = SUSPICION_MS;
    this.#wakeIn(SUSPICION_MS);
  }

  #listen(ms: number): void {
    this.#timer?.[Symbol.dispose]();
    if (ms !== Infinity) this.#wakeIn(ms);
  }

  #wakeIn(ms: number): void {
    const { clock } = this.#options;
    this.#timer?.[Symbol.dispose]();
    // Bytes that arrived while the event loop was busy, or the machine asleep, are read first.
    this.#timer = clock.after(ms, () => clock.soon(() => this.#judge()));
  }

  #judge(): void {
    const { clock, silenceMs, responseTimeoutMs, isHeld, dead } = this.#options;
    if (this.#state !== 'stopped' && isHeld()) this.messageReceived();
    if (this.#state === 'stopped') return;
    if (this.#state === 'asking') {
      this.stop();
      dead(this.#waitMs);
      return;
    }
    const silence = clock.monotonic() - this.#receivedAt;
    if (silence < silenceMs) this.#listen(silenceMs - silence);
    else this.#ask(responseTimeoutMs);
  }

  #ask(responseTimeoutMs: number): void {
    this.#state = 'asking';
    this.#waitMs = responseTimeoutMs;
    this.#wakeIn(responseTimeoutMs);
    this.#options.ask();
  }
}

/** ms; a request that timed out sooner proves nothing about the connection. */
export const SUSPICIOUS = 1_000;
const SUSPICION_MS = 4_000;
const BUSY_MS = 30_000;
