import type { Clock } from '../model/clock.js';
import type { AbandonReason } from '../wire/pipe.js';

export interface LivenessOptions {
  readonly clock: Clock;
  /** After how much silence to ask by itself; Infinity where only somebody's suspicion makes it. */
  readonly silenceMs: number;
  /** How long the answer may take then. */
  readonly responseTimeoutMs: number;
  /** We have stopped reading ourselves: then silence says nothing. */
  readonly isHeld: () => boolean;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  readonly dead: (waitedMs: number) => void;
}

/**
 * Whether the other side is still there: a connection that was cut without a word looks like one on which nobody speaks.
 * One timer, which whatever comes in leaves alone.
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

  /** Any byte will do. */
  messageReceived(): void {
    this.#receivedAt = this.#options.clock.monotonic();
    if (this.#state !== 'asking') return;
    this.#state = 'listening';
    this.#listen(this.#options.silenceMs);
  }

  /**
   * Somebody has waited in vain. Where nothing else was heard meanwhile, it may be the connection, and is found out now;
   * with more patience while others still wait, because the server may just be busy with one of them.
   */
  onUnanswered({ isLate: isTimedOut, others }: AbandonReason): void {
    const { clock, isHeld } = this.#options;
    if (!isTimedOut || this.#state === 'stopped' || isHeld()) return;
    if (this.#state === 'asking') this.#hurry(others);
    else if (clock.monotonic() - this.#receivedAt >= SUSPICIOUS) this.#ask(others === 0 ? SUSPICION_MS : BUSY_MS);
  }

  stop(): void {
    this.#state = 'stopped';
    this.#timer?.[Symbol.dispose]();
  }

  /** Whoever else waited has given up as well. */
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
    // What has arrived while the event loop was busy, or the machine asleep, is taken in first.
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

/** Who gives up sooner knows nothing about the connection. */
export const SUSPICIOUS = 1_000;
const SUSPICION_MS = 4_000;
const BUSY_MS = 30_000;
