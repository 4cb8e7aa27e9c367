import { isUtf8 } from 'node:buffer';
import { decode } from './decode.js';
import type { SpillPart } from '../../model/spilled.js';
import { StringEnd } from './string-end.js';
import { BACKSLASH, QUOTE } from './json-bytes.js';

/** A JSON string that arrives in pieces; long ones go to the disk, where there is a way to it. */
export class LongText {
  isComplete = false;
  broken = false;
  /** Some bytes were no UTF-8. */
  replaced = false;
  /** As the server wrote them, or, once on the way to the disk, as they stand there. */
  bytes = 0;
  preview = '';
  part: SpillPart | undefined;
  wait: Promise<void> | undefined;

  readonly #openPart: (() => SpillPart) | undefined;
  readonly #scratch: Scratch;
  #pieces: string[] = [];
  /** The end of what has come, where it may be half an escape or half a character. Undefined before the first piece. */
  #held: Buffer | undefined;

  /** `openPart`: where a long one goes; without it everything stays in memory. */
  constructor(scratch: Scratch, openPart: (() => SpillPart) | undefined) {
    this.#scratch = scratch;
    this.#openPart = openPart;
  }

  get value(): string {
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
  }

  /** Takes what belongs to the string and gives the index behind it. */
  take(bytes: Buffer, at: number): number {
    this.wait = undefined;
    if (this.#held) return this.#continue(this.#held, bytes);
    const end = new StringEnd().find(bytes, at);
    if (end === -1) {
      this.broken = !this.#partial(this.#quote(EMPTY, bytes.subarray(at)));
      return bytes.length;
    }
    this.isComplete = true;
    const piece = bytes.subarray(at, end);
    // The quotes of a string that came in one piece are there already.
    this.#add(piece, () => (at > 0 ? bytes.subarray(at - 1, end + 1) : this.#quote(EMPTY, piece)));
    return end + 1;
  }

  /** Most pieces of a long string lie wholly inside it: JSON.parse finds out faster than a search for its end. */
  #continue(held: Buffer, bytes: Buffer): number {
    const quoted = this.#quote(held, bytes);
    const inside = quoted.subarray(1, -1);
    if (this.#partial(quoted)) return bytes.length;
    const end = new StringEnd().find(inside, 0);
    if (end === -1) {
      this.broken = true;
      return bytes.length;
    }
    this.isComplete = true;
    quoted[end + 1] = QUOTE;
    this.#add(inside.subarray(0, end), () => quoted.subarray(0, end + 2));
    return end - held.length + 1;
  }

  /** What has come, between quotes: all that JSON.parse needs to unescape it natively. */
  #quote(held: Buffer, bytes: Buffer): Buffer {
    const quoted = this.#scratch.take(held.length + bytes.length + 2);
    quoted[0] = QUOTE;
    held.copy(quoted, 1);
    bytes.copy(quoted, 1 + held.length);
    quoted[quoted.length - 1] = QUOTE;
    return quoted;
  }

  /** Takes a piece that does not end the string; false, and nothing taken, when the string ends in it after all. */
  #partial(quoted: Buffer): boolean {
    const inside = quoted.subarray(1, -1);
    const cut = safeCut(inside);
    const held = Buffer.from(inside.subarray(cut));
    const after = quoted[cut + 1]!;
    quoted[cut + 1] = QUOTE;
    const isTaken = cut === 0 || this.#add(inside.subarray(0, cut), () => quoted.subarray(0, cut + 2));
    if (isTaken) this.#held = held;
    else quoted[cut + 1] = after;
    return isTaken;
  }

  /** `quoted` gives the same bytes between quotes. False when they are no string. */
  #add(piece: Buffer, quoted: () => Buffer): boolean {
    const hasEscape = piece.includes(BACKSLASH) || piece.includes(QUOTE);
    if (this.part && !hasEscape && isUtf8(piece)) {
      this.#write(piece);
      return true;
    }
    const text = hasEscape ? this.#unescape(quoted()) : this.#decode(piece);
    if (text === undefined) {
      this.broken = this.isComplete;
      return false;
    }
    if (this.part) this.#writeText(text);
    else this.#keep(text, piece.length);
    return true;
  }

  #keep(text: string, bytes: number): void {
    this.bytes += bytes;
    this.#pieces.push(text);
    if (!this.#openPart || this.bytes <= TEXT_IN_MEMORY) return;
    const soFar = this.value;
    this.preview = Buffer.from(soFar.slice(0, PREVIEW)).toString('utf8'); // a copy: a slice would keep all of it
    this.#pieces = [];
    this.bytes = 0;
    this.part = this.#openPart();
    this.#writeText(soFar);
  }

  #writeText(text: string): void {
    // At most three bytes for each unit; the scratch is free again once the text was made of it.
    const bytes = this.#scratch.take(text.length * 3);
    this.#write(bytes.subarray(0, bytes.write(text, 'utf8')));
  }

  #write(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.wait = this.part!.write(bytes);
  }

  #decode(piece: Buffer): string {
    const { text, replaced } = decode(piece);
    this.replaced ||= replaced;
    return text;
  }

  #unescape(quoted: Buffer): string | undefined {
    try {
      return JSON.parse(this.#decode(quoted)) as string;
    } catch {
      return undefined;
    }
  }
}

/** Memory for pieces on their way through, used again and again. */
export class Scratch {
  #memory = EMPTY;

  take(size: number): Buffer {
    if (this.#memory.length < size) this.#memory = Buffer.allocUnsafeSlow(Math.max(size, 4096));
    return this.#memory.subarray(0, size);
  }
}

const EMPTY: Buffer<ArrayBuffer> = Buffer.alloc(0);
const TEXT_IN_MEMORY = 64_000; // of an answer that is too large for memory: shorter texts are what people look at
const PREVIEW = 2048;

/** Where a piece of a string may end: not inside an escape, between two halves of a surrogate pair, or inside a character. */
function safeCut(piece: Buffer): number {
  const from = Math.max(piece.length - ESCAPED_PAIR, 0);
  let slash = piece.lastIndexOf(BACKSLASH);
  if (slash >= from) {
    // The first backslash of the run decides which one of them escapes.
    let run = slash;
    while (run > 0 && piece[run - 1] === BACKSLASH) run--;
    if ((slash - run) % 2 === 1) slash = -1; // an escaped backslash: complete
    if (slash !== -1) {
      const length = piece[slash + 1] === LETTER_U ? 6 : 2;
      if (slash + length > piece.length) return beforeHighSurrogate(piece, slash);
      if (slash + length === piece.length && isHighSurrogate(piece, slash)) return slash;
    }
  }
  return characterCut(piece);
}

/** An incomplete escape may be the second half of a pair: then its first half waits with it. */
function beforeHighSurrogate(piece: Buffer, slash: number): number {
  const before = slash - 6;
  return before >= 0 && piece[before] === BACKSLASH && isHighSurrogate(piece, before) ? before : slash;
}

function isHighSurrogate(piece: Buffer, slash: number): boolean {
  if (piece[slash + 1] !== LETTER_U) return false;
  const digits = piece.toString('latin1', slash + 2, slash + 4);
  return /^d[89ab]$/iu.test(digits);
}

/** Before a character whose bytes are not all there. */
function characterCut(piece: Buffer): number {
  for (let back = 1; back <= 3 && back <= piece.length; back++) {
    const byte = piece[piece.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? piece.length - back : piece.length;
    }
  }
  return piece.length;
}

const LETTER_U = 0x75;
const ESCAPED_PAIR = 12;
