import type { HttpExchange } from '../../edge/network/http-client.js';
import type { Clock } from '../../model/clock.js';
import type { ModelLimits } from './model-endpoint.js';

export interface AnswerStreamOptions {
  readonly limits: ModelLimits;
  readonly clock: Clock;
  /** Makes an error of what is wrong with the answer. */
  readonly toModelError: (what: string) => Error;
  /** The answer is complete, has failed, or is not read any more. Called once. */
  readonly onOver: () => void;
}

/** The body of an answer: with backpressure, and with limits on its bytes and on silence. */
export class AnswerStream implements AsyncIterable<Buffer> {
  readonly #options: AnswerStreamOptions;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #failure: Error | undefined;
  #exchange: HttpExchange | undefined;
  #timer: Disposable | undefined;
  #isOver = false;
  /** The connection is paused until the reader catches up. */
  #isHeld = false;
  #size = 0;
  #receivedAt: number;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
    this.#receivedAt = options.clock.monotonic();
  }

  attach(exchange: HttpExchange): void {
    this.#exchange = exchange;
  }

  /** Called when the headers have come. */
  begin(): void {
    this.#receivedAt = this.#options.clock.monotonic();
    this.#watch(this.#options.limits.firstByteMs);
  }

  /** False: pause the connection until the reader asks for more. */
  push(bytes: Buffer): boolean {
    if (this.#isOver) return true;
    const { limits, clock, toModelError } = this.#options;
    this.#receivedAt = clock.monotonic();
    if (this.#size === 0) this.#watch(limits.silenceMs);
    this.#size += bytes.length;
    if (this.#size > limits.answerBytes) {
      this.fail(toModelError(`sent an answer of more than ${limits.answerBytes} bytes`));
      return true;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#isHeld = this.#waitingBytes >= BUFFERED;
    this.#wake?.();
    return !this.#isHeld;
  }

  /** Called when the whole body has come. */
  end(): void {
    this.#finish();
  }

  /** Takes nothing more. What has come so far can be read before the error is thrown. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#finish();
    const exchange = this.#exchange;
    if (exchange) this.#options.clock.soon(() => exchange.abort());
  }

  /** The reader has enough. Waits briefly for the end, so that the connection can serve the next request. */
  leave(): void {
    if (this.#isOver) return;
    this.#finish();
    if (this.#isHeld) this.#exchange?.resume();
    this.#options.clock.after(DRAIN_MS, () => this.#exchange?.abort());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = this.#waiting.shift();
      if (bytes) {
        this.#waitingBytes -= bytes.length;
        yield bytes;
      } else if (this.#failure) throw this.#failure;
      else if (this.#isOver) return;
      else {
        this.#proceed();
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  /** The body as one text of at most `limit` bytes; on a failure or after `TEXT_MS` the text ends early. */
  async readText(limit: number): Promise<string> {
    using _ = this.#options.clock.after(TEXT_MS, () => this.leave());
    const pieces: Buffer[] = [];
    let size = 0;
    try {
      for await (const piece of this) {
        pieces.push(piece);
        size += piece.length;
        if (size > limit) break;
      }
    } catch {
      // a text that ends early will do
    }
    this.leave();
    return Buffer.concat(pieces).subarray(0, limit).toString('utf8');
  }

  #proceed(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#receivedAt = this.#options.clock.monotonic();
    this.#exchange?.resume();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#options.onOver();
    this.#wake?.();
  }

  /** One timer for the whole answer, set again for the time left: chunks come by the thousand. */
  #watch(limitMs: number): void {
    this.#timer?.[Symbol.dispose]();
    const { clock, toModelError } = this.#options;
    const look = (): void => {
      if (this.#isOver) return;
      const silent = this.#isHeld ? 0 : clock.monotonic() - this.#receivedAt;
      if (silent >= limitMs) this.fail(toModelError(`said nothing for ${limitMs} ms in the middle of its answer`));
      else this.#timer = clock.after(limitMs - silent, look);
    };
    this.#timer = clock.after(limitMs, look);
  }
}

const BUFFERED = 262_144;
const DRAIN_MS = 1_000;
const TEXT_MS = 10_000; // for the body of an error, or a list
