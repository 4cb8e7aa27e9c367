// Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { SseParser, type SseSink } from '../../edge/network/sse-parser.js';

export interface AnswerEvent {
  readonly name: string;
  readonly data: string;
}

/** Turns bytes into whole events. Keeps the bytes of an incomplete event, never more than the limit. */
export class EventReader implements SseSink {
  readonly #parser: SseParser;
  readonly #toOverflow: () => Error;
  #isTooLarge = false;
  #events: AnswerEvent[] = [];
  /** The data of the event under way, as long as it is one slice of the current chunk. */
  #piece: Buffer | undefined;
  /** The data of the event under way, once it is more than one slice; `#length` bytes are used. */
  #kept = EMPTY;
  #length = 0;

  constructor(options: { readonly eventLimit: number; readonly toOverflow: () => Error }) {
    this.#parser = new SseParser(this, options);
    this.#toOverflow = options.toOverflow;
  }

  /** The events that these bytes complete. Throws the error of `toOverflow` when one is larger than the limit. */
  read(bytes: Buffer): readonly AnswerEvent[] {
    this.#events = [];
    this.#parser.push(bytes);
    if (this.#isTooLarge) throw this.#toOverflow();
    this.#keepPiece();
    return this.#events;
  }

  data(bytes: Buffer): void {
    if (this.#piece === undefined && this.#length === 0) this.#piece = bytes;
    else {
      this.#keepPiece();
      this.#keep(bytes);
    }
  }

  event(name: string): void {
    const data = this.#piece?.toString('utf8') ?? this.#kept.toString('utf8', 0, this.#length);
    this.#drop();
    this.#events.push({ name, data });
  }

  retry(): void {
    // an answer that breaks off is not resumed
  }

  overflow(): void {
    this.#isTooLarge = true;
  }

  /** Copied, so that no event keeps the whole chunk in memory. */
  #keepPiece(): void {
    const piece = this.#piece;
    this.#piece = undefined;
    if (piece) this.#keep(piece);
  }

  #keep(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(SMALLEST, 2 * length));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #drop(): void {
    this.#piece = undefined;
    this.#length = 0;
    if (this.#kept.length > LARGEST_IDLE) this.#kept = EMPTY;
  }
}

const EMPTY = Buffer.alloc(0);
const SMALLEST = 4_096;
const LARGEST_IDLE = 1_048_576; // few events are larger, and waiting for the next one needs no more
