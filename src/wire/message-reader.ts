import { HostError } from '../base/errors.js';
import { groupDigits } from '../base/group-digits.js';
import { unreachable } from '../base/never.js';
import type { Clock } from '../model/clock.js';
import { decode } from './json/decode.js';
import {
  BYTES_AT_ONCE,
  MESSAGE_DEPTH_LIMIT,
  NODE_LIMIT,
  type ListCuts,
  parseCostOf,
  type ParseWeight,
} from './json/json-bounds.js';
import { ITEM_LIMIT } from './json/bounded-list.js';
import { listPieces } from './json/list-pieces.js';
import { JsonStream } from './json/json-stream.js';
import type { ListTreatment, SpilledPlace, ValueTreatment } from './json/json-treatment.js';
import type { RequestId } from './message.js';
import type { RejectedMessage } from './pipe.js';
import { isListRoom, type LargeResponseStore, Spilled, type SpillPart, type SpillStore } from '../model/spilled.js';

/** The result of reading one message. */
export type ReadOutcome =
  | { readonly kind: 'message'; readonly message: unknown; readonly replaced: boolean }
  | { readonly kind: 'refused'; readonly refusal: RejectedMessage };

export interface MessageReaderOptions {
  readonly clock: Clock;
  /** Called once the message has become too large for memory: who takes it. */
  readonly spillFor: (id: RequestId | undefined) => LargeResponseStore | undefined;
}

export const MEMORY_LIMIT = 16_000_000;
export const SPILL_LIMIT = 512_000_000;

/** Collects one message: small ones are parsed at once, large ones in slices, and huge ones are spilled. */
export class MessageReader {
  bytes = 0;
  readonly #options: MessageReaderOptions;
  #pieces: Buffer[] = [];
  #stream: JsonStream | undefined;
  #store: LargeResponseStore | undefined;
  #isUnwanted = false;
  /** Milliseconds of parsing since the last turn of the event loop. */
  #sliceMs = 0;
  /** Free bytes after the last piece. */
  #room = 0;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  /** Whether the message is refused whatever follows, so that reading can stop. */
  get isRefused(): boolean {
    const stream = this.#stream;
    if (!stream) return false;
    return this.#isUnwanted || stream.fault !== undefined || stream.broken !== undefined || this.bytes > SPILL_LIMIT;
  }

  /** Returns a promise to wait for before the next chunk. */
  push(bytes: Buffer): Promise<void> | undefined {
    this.bytes += bytes.length;
    if (this.#stream) return this.bytes > SPILL_LIMIT ? undefined : this.#pushOn(this.#stream, bytes);
    this.#keep(bytes);
    if (this.bytes <= MEMORY_LIMIT) return undefined;
    this.#stream = new JsonStream({
      route: (key) => this.#route(key),
      listAt: (key) => this.#listAt(key),
      openPart: () => this.#openPart(),
      textLimit: NAME_LIMIT,
    });
    const pieces = this.#pieces;
    this.#pieces = [];
    return feed(this.#stream, pieces, this.#options.clock);
  }

  /** Yields to the event loop: a socket delivers up to 32 chunks per turn, and parsing one can take milliseconds. */
  #pushOn(stream: JsonStream, bytes: Buffer): Promise<void> | undefined {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const wait = stream.push(bytes);
    this.#sliceMs += clock.monotonic() - begun;
    if (!wait && this.#sliceMs < SLICE_MS) return undefined;
    this.#sliceMs = 0;
    return wait ?? new Promise((resolve) => clock.soon(resolve));
  }

  /** Merges small chunks, so that a server that sends single bytes does not cost an object for each. */
  #keep(bytes: Buffer): void {
    if (this.#pieces.length < FEW_PIECES || bytes.length >= SMALL_PIECE) {
      this.#pieces.push(bytes);
      this.#room = 0;
      return;
    }
    if (this.#room < bytes.length) {
      this.#pieces.push(Buffer.allocUnsafe(2 * SMALL_PIECE).subarray(0, 0));
      this.#room = 2 * SMALL_PIECE;
    }
    const last = this.#pieces.pop()!;
    const grown = Buffer.from(last.buffer, last.byteOffset, last.length + bytes.length);
    bytes.copy(grown, last.length);
    this.#room -= bytes.length;
    this.#pieces.push(grown);
  }

  end(): ReadOutcome | Promise<ReadOutcome> {
    if (this.#stream) return this.#finish(this.#stream);
    const pieces = this.#pieces;
    this.#pieces = [];
    const { clock } = this.#options;
    if (this.bytes > BYTES_AT_ONCE) return parseInSlices(pieces, clock);
    return parseMessage(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), clock);
  }

  /** Drops the message, and deletes what was spilled. */
  async discard(): Promise<void> {
    await this.#stream?.discard();
  }

  #route(key: string): ValueTreatment {
    if (key === 'result') {
      const store = (this.#store = this.#options.spillFor(idOf(this.#stream?.outermost)));
      if (store) return isListRoom(store) ? store : 'spill';
    }
    if (key !== 'result' && key !== 'params') return 'build';
    this.#isUnwanted = true;
    return 'skip';
  }

  #listAt(key: string): ListTreatment | undefined {
    const found = (this.#store as SpillStore).lists?.find((list) => list.key === key);
    this.#store = found ?? this.#store;
    return found;
  }

  #openPart(): SpillPart {
    return (this.#store as SpillStore).open(); // only below a key with route `spill`
  }

  async #finish(stream: JsonStream): Promise<ReadOutcome> {
    stream.end();
    const refusal = this.bytes > SPILL_LIMIT ? tooLarge(this.bytes, stream) : this.#refusalOf(stream);
    if (refusal) {
      await stream.discard();
      return { kind: 'refused', refusal };
    }
    const id = idOf(stream.value);
    const store = this.#options.spillFor(id);
    // Nothing has been stored of a message without a result.
    const used = this.#store ?? store;
    // The id came last, and this request does not take what another one would have taken.
    if (!store || !used || isListRoom(store) !== isListRoom(used)) {
      await stream.discard();
      return { kind: 'refused', refusal: tooLarge(this.bytes, stream) };
    }
    try {
      await Promise.all(stream.spilledPlaces.map(arrive));
    } catch (cause) {
      await stream.discard();
      return { kind: 'refused', refusal: unsaved(this.bytes, stream, cause) };
    }
    return { kind: 'message', message: stream.value, replaced: stream.replaced };
  }

  #refusalOf(stream: JsonStream): RejectedMessage | undefined {
    // When the reader stopped because the message is too large, that is the reason, not the missing end.
    return this.#isUnwanted ? tooLarge(this.bytes, stream) : refusalOf(stream);
  }
}

/** Parses one complete message. Large ones take several turns of the event loop. */
export function parseMessage(bytes: Buffer, clock: Clock): ReadOutcome | Promise<ReadOutcome> {
  const { text, replaced } = decode(startsWithMark(bytes) ? bytes.subarray(3) : bytes);
  const { weight, list } = parseCostOf(text);
  if (weight === 'light') return parseLight(text, replaced);
  const inSlices = (): Promise<ReadOutcome> => parseInSlices([bytes], clock, weight);
  return list ? parseInPieces({ text, replaced, list, clock }, inSlices) : inSlices();
}

/** Parses a message that is already decoded, like `parseMessage`. */
export function parseLine(text: string, replaced: boolean, clock: Clock): ReadOutcome | Promise<ReadOutcome> {
  const { weight, list } = parseCostOf(text);
  if (weight === 'light') return parseLight(text, replaced);
  const inSlices = (): Promise<ReadOutcome> => parseInSlices([Buffer.from(text)], clock, weight);
  return list ? parseInPieces({ text, replaced, list, clock }, inSlices) : inSlices();
}

/** Parses a text in this turn; undefined when it is too large for that. */
export function parseAtOnce(text: string, replaced: boolean): ReadOutcome | undefined {
  return parseCostOf(text).weight === 'light' ? parseLight(text, replaced) : undefined;
}

function parseLight(text: string, replaced: boolean): ReadOutcome {
  try {
    return { kind: 'message', message: JSON.parse(text), replaced };
  } catch (error) {
    const reason = `it is no JSON (${error instanceof Error ? quoteless(error.message) : 'unknown'})`;
    return {
      kind: 'refused',
      refusal: { code: 'bad-answer', reason, ids: mentionedIds(text), isAnswer: looksLikeAnswer(text) },
    };
  }
}

/** Whether the text starts with a byte order mark, as some programs write it. */
function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

interface ListText {
  readonly text: string;
  readonly replaced: boolean;
  readonly list: ListCuts;
  readonly clock: Clock;
}

/** Parses a message with a long list natively, some items per turn of the event loop. */
async function parseInPieces(
  { text, replaced, list, clock }: ListText,
  otherwise: () => Promise<ReadOutcome>,
): Promise<ReadOutcome> {
  try {
    const pieces = listPieces(text, list);
    let turnEnds = clock.monotonic() + SLICE_MS;
    for (let next = pieces.next(); ; next = pieces.next()) {
      if (next.done === true)
        return next.value ? { kind: 'message', message: next.value, replaced } : await otherwise();
      if (clock.monotonic() < turnEnds) continue;
      await new Promise<void>((resolve) => clock.soon(resolve));
      turnEnds = clock.monotonic() + SLICE_MS;
    }
  } catch {
    return otherwise(); // not JSON: the other way tells what is wrong, and finds the id
  }
}

async function parseInSlices(pieces: Buffer[], clock: Clock, weight: ParseWeight = 'heavy'): Promise<ReadOutcome> {
  const stream = new JsonStream({ route: () => 'build', openPart: neverOpened });
  // Known to exceed the bounds: only the id is kept.
  if (weight === 'too-deep' || weight === 'too-many') stream.fault = weight === 'too-deep' ? 'depth' : 'values';
  await feed(stream, pieces, clock);
  stream.end();
  const refusal = refusalOf(stream);
  return refusal ? { kind: 'refused', refusal } : { kind: 'message', message: stream.value, replaced: stream.replaced };
}

/** Parses a few ms per turn of the event loop. Frees each piece, since the values take as much memory again. */
async function feed(stream: JsonStream, pieces: Buffer[], clock: Clock): Promise<void> {
  let turnEnds = clock.monotonic() + SLICE_MS;
  // The byte order mark may be split too.
  while (pieces.length > 1 && pieces[0]!.length < 3) pieces.unshift(Buffer.concat(pieces.splice(0, 2)));
  if (pieces[0] && startsWithMark(pieces[0])) pieces[0] = pieces[0].subarray(3);
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      const wait = stream.push(piece.subarray(at, at + SLICE_BYTES));
      if (wait) await wait;
      if (stream.isDiscarded) return;
      if (clock.monotonic() < turnEnds) continue;
      await new Promise<void>((resolve) => clock.soon(resolve));
      turnEnds = clock.monotonic() + SLICE_MS;
    }
  }
}

const FEW_PIECES = 16;
const SMALL_PIECE = 4096;
/** The longest string outside of result and params, in a message too large for memory: names are shorter. */
const NAME_LIMIT = 1_000_000;
const SLICE_MS = 8;
const SLICE_BYTES = 131_072;

async function arrive({ kind, place, holder, key, bytes, preview }: SpilledPlace): Promise<void> {
  holder[key] = new Spilled({ kind, bytes, place: await place, preview });
}

function refusalOf(stream: JsonStream): RejectedMessage | undefined {
  const ids = idsOf(stream);
  const isAnswer = isAnswerLike(stream);
  if (stream.broken !== undefined)
    return { code: 'bad-answer', reason: `it is no JSON: ${stream.broken}`, ids, isAnswer };
  switch (stream.fault) {
    case undefined:
      return undefined;
    case 'depth':
      return tooDeep(stream.outermost);
    case 'values':
      return { code: 'answer-too-large', reason: `it has more than ${groupDigits(NODE_LIMIT)} values`, ids, isAnswer };
    case 'large':
      return { code: 'answer-too-large', reason: 'it has too many values to keep', ids, isAnswer };
    case 'text':
      return {
        code: 'answer-too-large',
        reason: `a text in its list has more than ${ITEM_LIMIT / 1_000_000} MB`,
        ids,
        isAnswer,
      };
    default:
      return unreachable(stream.fault);
  }
}

function tooDeep(message: unknown): RejectedMessage {
  const id = idOf(message);
  const ids = typeof id === 'number' ? [id] : [];
  const isAnswer = !isAsked(message);
  return { code: 'answer-too-large', reason: `it nests deeper than ${MESSAGE_DEPTH_LIMIT} levels`, ids, isAnswer };
}

/** Whether the message seems to be a response. False when nothing could be parsed. */
function isAnswerLike({ outermost }: JsonStream): boolean {
  return outermost !== undefined && !isAsked(outermost);
}

function unsaved(bytes: number, stream: JsonStream, cause: unknown): RejectedMessage {
  const why = cause instanceof Error ? cause.message : String(cause);
  const reason = `its answer of ${bytes} bytes could not be saved: ${why}`;
  const hint = cause instanceof HostError ? cause.hint : undefined;
  return { code: 'answer-too-large', reason, ids: idsOf(stream), isAnswer: true, hint };
}

function tooLarge(bytes: number, stream: JsonStream): RejectedMessage {
  const limit = bytes > SPILL_LIMIT ? SPILL_LIMIT : MEMORY_LIMIT;
  const reason = `it has more than ${limit / 1_000_000} MB`;
  return { code: 'answer-too-large', reason, ids: idsOf(stream), isAnswer: isAnswerLike(stream) };
}

/** Whether it is a request or a notification, and so no response. */
function isAsked(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message;
}

function idsOf(stream: JsonStream): number[] {
  const id = idOf(stream.outermost);
  return typeof id === 'number' ? [id] : [];
}

function idOf(value: unknown): RequestId | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}

/** All numbers that a text has as an id, to find the request of a response that was cut off. */
function mentionedIds(text: string): number[] {
  const ids = [];
  // Ids are near the start or the end; searching megabytes of garbage is not worth it.
  for (const part of text.length > 2 * NEAR_END ? [text.slice(0, NEAR_END), text.slice(-NEAR_END)] : [text]) {
    for (const [, digits] of part.matchAll(/"id"\s{0,8}:\s{0,8}(\d{1,10})/gu)) ids.push(Number(digits));
  }
  return ids.slice(0, 16);
}

const NEAR_END = 4096;

/** Whether the text has what logs lack: "jsonrpc", or "result" as its first key, as many servers write it. */
function looksLikeAnswer(text: string): boolean {
  return /^\s{0,8}\{(?:\s{0,8}"result"\s{0,8}:|[^]{0,512}"jsonrpc"\s{0,8}:)/u.test(text);
}

/** Removes the quoted input from V8's error message: a server's text is not repeated. */
function quoteless(message: string): string {
  return message.replace(/,? ?\.{0,3}["'].*$/su, '').slice(0, 100);
}

function neverOpened(): SpillPart {
  throw new Error('a message that fits in memory needs no other place');
}
