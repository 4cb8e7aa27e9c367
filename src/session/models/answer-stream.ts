import type { HttpExchange } from '../../edge/http-client.js';
import type { Clock } from '../../model/clock.js';
import type { ModelLimits } from './endpoint.js';

export interface AnswerStreamOptions {
  readonly limits: ModelLimits;
  readonly clock: Clock;
  /** Names what is wrong with the answer. */
  readonly toSetback: (what: string) => Error;
}

/** The body of an answer: as fast as it is read, no more of it than there may be, and not for ever. */
export class AnswerStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: AnswerStreamOptions;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #exchange: HttpExchange | undefined;
  #timer: Disposable | undefined;
  #isOver = false;
  /** The connection waits for whoever reads this. */
  #isHeld = false;
  #size = 0;
  #line = 0;
  #tail = '';
  #heard: number;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
    this.#heard = options.clock.monotonic();
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED }),
    );
  }

  /** The request that this is the answer to. */
  attach(exchange: HttpExchange): void {
    this.#exchange = exchange;
  }

  /** The headers have come. */
  begin(): void {
    this.#heard = this.#options.clock.monotonic();
    this.#watch(this.#options.limits.firstByteMs);
  }

  /** False: nothing more until it is asked for. */
  push(bytes: Buffer): boolean {
    if (this.#isOver) return true;
    const { limits, clock, toSetback } = this.#options;
    this.#heard = clock.monotonic();
    if (this.#size === 0) this.#watch(limits.silenceMs);
    this.#size += bytes.length;
    const lineEnd = bytes.lastIndexOf(LINE_FEED);
    this.#line = lineEnd === -1 ? this.#line + bytes.length : bytes.length - lineEnd - 1;
    if (this.#size > limits.answerBytes) {
      this.fail(toSetback(`sent an answer of more than ${limits.answerBytes} bytes`));
    } else if (this.#line > limits.lineBytes) {
      this.fail(toSetback(`sent a line of more than ${limits.lineBytes} bytes`));
    } else {
      this.#controller.enqueue(bytes);
      this.#isHeld = (this.#controller.desiredSize ?? 0) <= 0;
      this.#tail = (this.#tail + bytes.toString('latin1', Math.max(0, bytes.length - TAIL))).slice(-TAIL);
      // Some keep the connection open although they have said that this was all.
      if (this.#tail.endsWith('\n') && /(?:^|\n)data: ?\[DONE\]\s+$/u.test(this.#tail)) this.#close();
    }
    return !this.#isHeld;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#controller.close();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller.error(error);
  }

  /** All of it as one text, up to so many bytes; what fails, or takes too long, is a text that ends early. */
  async readText(limit: number): Promise<string> {
    using _ = this.#options.clock.after(TEXT_MS, () => this.#close());
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const piece of this.body) {
        pieces.push(piece);
        size += piece.length;
        if (size > limit) break;
      }
    } catch {
      // what came until then has to do
    }
    return Buffer.concat(pieces).subarray(0, limit).toString('utf8');
  }

  #close(): void {
    this.end();
    this.#linger();
  }

  /** Whoever has read enough. */
  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    if (this.#isHeld) this.#exchange?.resume();
    this.#linger();
  }

  /** The end of the answer may be on its way, and its connection be of use for the next: it is waited for, but not for long. */
  #linger(): void {
    this.#options.clock.after(LINGER_MS, () => this.#exchange?.abort());
  }

  #pull(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#heard = this.#options.clock.monotonic();
    this.#exchange?.resume();
  }

  #finish(): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    const exchange = this.#exchange;
    if (exchange) this.#options.clock.soon(() => exchange.abort());
  }

  /** One timer for the whole answer, set again for what is left: pieces come by the thousand. */
  #watch(limitMs: number): void {
    this.#timer?.[Symbol.dispose]();
    const { clock, toSetback } = this.#options;
    const look = (): void => {
      if (this.#isOver) return;
      const silent = this.#isHeld ? 0 : clock.monotonic() - this.#heard;
      if (silent >= limitMs) this.fail(toSetback(`said nothing for ${limitMs} ms in the middle of its answer`));
      else this.#timer = clock.after(limitMs - silent, look);
    };
    this.#timer = clock.after(limitMs, look);
  }
}

const BUFFERED = 262_144;
const LINGER_MS = 1_000;
const TEXT_MS = 10_000; // of an error, or a list
const LINE_FEED = 0x0a;
const TAIL = 24; // the mark of the end, and line ends around it
