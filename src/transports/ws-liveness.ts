// Ping and pong: https://www.rfc-editor.org/rfc/rfc6455#section-5.5.2
import type { Clock } from '../model/clock.js';

export interface WsLivenessOptions {
  readonly clock: Clock;
  /** We have stopped reading ourselves: then silence says nothing. */
  readonly isHeld: () => boolean;
  readonly ping: () => void;
  readonly dead: () => void;
}

/**
 * Whether the other side is still there: a connection that was cut without a word looks like one on which nobody speaks.
 * One timer, which whatever comes in leaves alone.
 */
export class WsLiveness {
  readonly #options: WsLivenessOptions;
  #heardAt: number;
  #state: 'listening' | 'asking' | 'stopped' = 'listening';
  #timer: Disposable;

  constructor(options: WsLivenessOptions) {
    this.#options = options;
    this.#heardAt = options.clock.monotonic();
    this.#timer = this.#wakeIn(SILENCE_MS);
  }

  /** Any byte will do. */
  heard(): void {
    this.#heardAt = this.#options.clock.monotonic();
    if (this.#state === 'asking') this.#state = 'listening';
  }

  stop(): void {
    this.#state = 'stopped';
    this.#timer[Symbol.dispose]();
  }

  #wakeIn(ms: number): Disposable {
    const { clock } = this.#options;
    // What has arrived while the event loop was busy, or the machine asleep, is taken in first.
    return clock.after(ms, () => clock.soon(() => this.#judge()));
  }

  #judge(): void {
    const { clock, isHeld, ping, dead } = this.#options;
    if (this.#state !== 'stopped' && isHeld()) this.heard();
    if (this.#state === 'stopped') return;
    if (this.#state === 'asking') {
      this.stop();
      dead();
      return;
    }
    const silence = clock.monotonic() - this.#heardAt;
    if (silence < SILENCE_MS) {
      this.#timer = this.#wakeIn(SILENCE_MS - silence);
      return;
    }
    this.#state = 'asking';
    this.#timer = this.#wakeIn(PONG_MS);
    ping();
  }
}

const SILENCE_MS = 30_000; // proxies forget a connection on which nothing moves for a minute
export const PONG_MS = 10_000;
