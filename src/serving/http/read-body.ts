import type { IncomingMessage } from 'node:http';
import { LinkedList } from '../../base/collections/linked-list.js';
import type { Clock } from '../../model/clock.js';
import { decode } from '../../wire/json/decode.js';
import { BYTES_AT_ONCE, measure, NODES_AT_ONCE, parseCostOf } from '../../wire/json/json-bounds.js';
import { parseLine } from '../../wire/message-reader.js';

/** What came as the body of a request. */
export type Body =
  | { readonly kind: 'message'; readonly value: unknown }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 408 | 413 | 415 | 503;
      /** Of the JSON-RPC error. */
      readonly code: number;
      readonly message: string;
      /** The rest of the body is not read, so that the connection cannot be used again. */
      readonly mustClose: boolean;
    }
  /** The client has left before its body was complete. */
  | { readonly kind: 'gone' };

export interface BodyLimits {
  readonly bytes: number;
  /** Of all bodies that are being read: who is slow with a large one is refused when others need the room. */
  readonly bytesOfAll: number;
  /** From the first header to the last byte, so that dripping does not help. */
  readonly ms: number;
}

export const BODY_LIMITS: BodyLimits = { bytes: BYTES_AT_ONCE, bytesOfAll: 256_000_000, ms: 30_000 };

/** Reads the bodies of one listener's requests as JSON, within bounds. One timer looks after all that are slow. */
export class BodyReader implements Disposable {
  readonly #clock: Clock;
  readonly #limits: BodyLimits;
  /** Oldest first. */
  readonly #reading = new LinkedList<BodyReading>();
  /** Those with a buffer of their own. */
  readonly #large = new Set<BodyReading>();
  #held = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, limits: BodyLimits = BODY_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Never rejects. The request must not have been read from. */
  read(request: IncomingMessage): Promise<Body> {
    const refused = refusedByHead(request, this.#limits.bytes);
    if (refused) return Promise.resolve(refused);
    return new Promise((resolve) => {
      const reading = new BodyReading(this.#clock, this.#limits.bytes, {
        grown: (bytes) => this.#grown(reading, bytes),
        done: (body) => {
          place[Symbol.dispose]();
          if (reading.held > 0 && this.#large.delete(reading)) this.#held -= reading.held;
          resolve(body);
        },
      });
      const place = this.#reading.add(reading);
      this.#timer ??= this.#clock.after(this.#limits.ms, () => this.#sweep());
      reading.follow(request);
    });
  }

  /** Ends what is still being read, as if the clients had left. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const reading of this.#reading.values()) reading.settle(GONE);
  }

  /** The buffer of a body has grown. */
  #grown(reading: BodyReading, bytes: number): void {
    this.#large.add(reading);
    this.#held += bytes;
    for (const oldest of this.#large) {
      if (this.#held <= this.#limits.bytesOfAll) break;
      oldest.settle(refuse(503, 'Too much is being sent at once: try again', true));
    }
  }

  #sweep(): void {
    this.#timer = undefined;
    const { ms } = this.#limits;
    const now = this.#clock.monotonic();
    for (let reading = this.#reading.first; reading; reading = this.#reading.first) {
      const left = reading.begun + ms - now;
      if (left > 0) {
        this.#timer = this.#clock.after(left, () => this.#sweep());
        return;
      }
      reading.settle(refuse(408, `The body did not arrive within ${ms / 1000} seconds`, true));
    }
  }
}

interface BodyReport {
  grown(bytes: number): void;
  done(body: Body): void;
}

/** One body that arrives. */
class BodyReading {
  readonly begun: number;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #report: BodyReport;
  /** Bytes of a buffer of its own. */
  held = 0;
  #isDone = false;
  #isComplete = false;
  /** The first chunk itself; of several a buffer with room, so that many small chunks cost no memory each. */
  #bytes: Buffer | undefined;
  #length = 0;

  constructor(clock: Clock, limit: number, report: BodyReport) {
    this.begun = clock.monotonic();
    this.#clock = clock;
    this.#limit = limit;
    this.#report = report;
  }

  follow(request: IncomingMessage): void {
    request.on('data', (chunk: Buffer) => {
      if (this.#isDone) return;
      if (this.#length + chunk.length > this.#limit) {
        request.pause();
        this.settle(tooLarge(this.#limit));
      } else this.#add(chunk);
    });
    request.on('end', () => {
      this.#isComplete = true;
      if (this.#isDone) return;
      const body = toBody(this.#bytes?.subarray(0, this.#length), this.#clock);
      if (body instanceof Promise) void body.then((value) => this.settle(value));
      else this.settle(body);
    });
    // Also comes after the end, when a large body may still be parsed.
    request.on('close', () => {
      if (!this.#isComplete) this.settle(GONE);
    });
  }

  settle(body: Body): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#bytes = undefined;
    this.#report.done(body);
  }

  #add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    let more = 0;
    if (!this.#bytes) this.#bytes = chunk;
    else {
      if (this.#bytes.length < length) {
        const grown = Buffer.allocUnsafe(Math.min(this.#limit, 2 * length));
        this.#bytes.copy(grown, 0, 0, this.#length);
        this.#bytes = grown;
        more = grown.length - this.held;
        this.held = grown.length;
      }
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    // At the end: this body may be the one that is refused.
    if (more > 0) this.#report.grown(more);
  }
}

/** What can be refused before a byte of the body is read. */
function refusedByHead({ rawHeaders }: IncomingMessage, limit: number): Body | undefined {
  let isJson = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // The three names have these lengths: most others need not be compared.
    if (name.length !== 12 && name.length !== 14 && name.length !== 16) continue;
    const value = rawHeaders[at + 1]!;
    switch (name.toLowerCase()) {
      case 'content-type':
        isJson = value === 'application/json' || (value.length <= TYPE_LIMIT && JSON_TYPE.test(value));
        if (!isJson) return refuse(415, 'The Content-Type is not application/json', true);
        break;
      case 'content-encoding':
        if (value.trim().toLowerCase() !== 'identity')
          return refuse(415, 'A body with a Content-Encoding is not read', true);
        break;
      case 'content-length':
        if (Number(value) > limit) return tooLarge(limit);
        break;
      default:
    }
  }
  return isJson ? undefined : refuse(415, 'The request has no Content-Type; it must be application/json', true);
}

function toBody(bytes: Buffer | undefined, clock: Clock): Body | Promise<Body> {
  if (!bytes || bytes.length === 0) return NO_BODY;
  const { text, replaced } = decode(bytes);
  if (replaced) return NO_UTF8;
  const { weight } = parseCostOf(text);
  if (weight === 'light') return parseSmall(text);
  if (weight === 'too-deep') return TOO_DEEP;
  if (weight === 'too-many' || measure(text).nodes > NODES_AT_ONCE) return TOO_MANY;
  // With very many keys JSON.parse would stop everybody else for a while.
  const outcome = parseLine(text, false, clock);
  return outcome instanceof Promise ? outcome.then(fromOutcome) : fromOutcome(outcome);
}

function parseSmall(text: string): Body {
  try {
    return { kind: 'message', value: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) };
  } catch {
    return NO_JSON;
  }
}

function fromOutcome(outcome: Awaited<ReturnType<typeof parseLine>>): Body {
  return outcome.kind === 'message' ? { kind: 'message', value: outcome.message } : NO_JSON;
}

function tooLarge(limit: number): Body {
  return refuse(413, `The body is larger than ${limit} bytes`, true);
}

function refuse(
  status: 400 | 408 | 413 | 415 | 503,
  message: string,
  mustClose: boolean,
  code = INVALID_REQUEST,
): Body {
  return { kind: 'refused', status, code, message, mustClose };
}

/** https://www.jsonrpc.org/specification#error_object */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const BYTE_ORDER_MARK = 0xfeff;
/** The pattern takes quadratic time with very many blanks. */
const TYPE_LIMIT = 200; // characters
const JSON_TYPE = /^\s*application\/json\s*(?:;\s*(?:charset\s*=\s*"?utf-?8"?\s*;?\s*)?)?$/iu;
const GONE: Body = { kind: 'gone' };
const NO_BODY = refuse(400, 'The request has no body', false, PARSE_ERROR);
const NO_UTF8 = refuse(400, 'The body is not valid UTF-8', false, PARSE_ERROR);
const NO_JSON = refuse(400, 'The body is not valid JSON', false, PARSE_ERROR);
const TOO_DEEP = refuse(413, 'The body is nested too deeply', false);
const TOO_MANY = refuse(413, `The body has more than ${NODES_AT_ONCE} values`, false);
