import { isUtf8 } from 'node:buffer';
import { decode } from './decode.js';
import type { SpillPart } from '../../model/spilled.js';
import { StringEnd } from './string-end.js';
import { BACKSLASH, QUOTE } from './json-bytes.js';

/** A JSON string that arrives in chunks; a long one goes to disk if it has a spill file. */
export class LongText {
  isComplete = false;
  broken = false;
  /** Some bytes were invalid UTF-8. */
  replaced = false;
  /** The length as sent; once spilled, the length in the file. */
  bytes = 0;
  /** The string is read only to find its end. */
  isDropped = false;
  preview = '';
  part: SpillPart | undefined;
  wait: Promise<void> | undefined;

  readonly #openPart: (() => SpillPart) | undefined;
  readonly #scratch: Scratch;
  #pieces: string[] = [];
  /** The end of the input so far, which may be half an escape or half a character. Undefined before the first chunk. */
  #held: Buffer | undefined;

  /** `openPart`: opens a spill file for a long string; without it all stays in memory. */
  constructor(scratch: Scratch, openPart: (() => SpillPart) | undefined) {
    this.#scratch = scratch;
    this.#openPart = openPart;
  }

  /** Frees what is kept, and keeps nothing any more. */
  drop(): void {
    this.isDropped = true;
    this.#pieces = [];
  }

  get value(): string {
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
  }

  /** Takes the bytes of the string. Returns the index after them. */
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
    // A string in one chunk already has its quotes.
    this.#add(piece, () => (at > 0 ? bytes.subarray(at - 1, end + 1) : this.#quote(EMPTY, piece)));
    return end + 1;
  }

  /** Most chunks lie inside a long string: trying JSON.parse is faster than searching for the end. */
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

  /** The input between quotes, so that JSON.parse can unescape it natively. */
  #quote(held: Buffer, bytes: Buffer): Buffer {
    const quoted = this.#scratch.take(held.length + bytes.length + 2);
    quoted[0] = QUOTE;
    held.copy(quoted, 1);
    bytes.copy(quoted, 1 + held.length);
    quoted[quoted.length - 1] = QUOTE;
    return quoted;
  }

  /** Takes a chunk without the string's end. Returns false, taking nothing, when the string ends in it. */
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

  /** `quoted` returns the same bytes between quotes. Returns false when they are not a valid string. */
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
    if (this.isDropped) return;
    this.#pieces.push(text);
    if (!this.#openPart || this.bytes <= TEXT_IN_MEMORY) return;
    const soFar = this.value;
    this.preview = Buffer.from(soFar.slice(0, PREVIEW)).toString('utf8'); // a copy: a slice keeps the whole string
    this.#pieces = [];
    this.bytes = 0;
    this.part = this.#openPart();
    this.#writeText(soFar);
  }

  #writeText(text: string): void {
    // At most three bytes per code unit. The scratch memory is free, since the text has been decoded.
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

/** Memory for temporary chunks, reused. */
export class Scratch {
  #memory = EMPTY;

  take(size: number): Buffer {
    if (this.#memory.length < size) this.#memory = Buffer.allocUnsafeSlow(Math.max(size, 4096));
    return this.#memory.subarray(0, size);
  }
}

const EMPTY: Buffer<ArrayBuffer> = Buffer.alloc(0);
const TEXT_IN_MEMORY = 64_000; // bytes of one text in a response that is spilled; users look at shorter texts
const PREVIEW = 2048;

/** Where a chunk of a string may be cut: not inside an escape, a surrogate pair or a character. */
function safeCut(piece: Buffer): number {
  const from = Math.max(piece.length - ESCAPED_PAIR, 0);
  let slash = piece.lastIndexOf(BACKSLASH);
  if (slash >= from) {
    // In a run of backslashes, counting from the first shows which one escapes.
    let run = slash;
    while (run > 0 && piece[run - 1] === BACKSLASH) run--;
    if ((slash - run) % 2 === 1) slash = -1; // an escaped backslash is complete
    if (slash !== -1) {
      const length = piece[slash + 1] === LETTER_U ? 6 : 2;
      if (slash + length > piece.length) return beforeHighSurrogate(piece, slash);
      if (slash + length === piece.length && isHighSurrogate(piece, slash)) return slash;
    }
  }
  return characterCut(piece);
}

/** An incomplete escape may be the second half of a surrogate pair; then the first half is held back too. */
function beforeHighSurrogate(piece: Buffer, slash: number): number {
  const before = slash - 6;
  return before >= 0 && piece[before] === BACKSLASH && isHighSurrogate(piece, before) ? before : slash;
}

function isHighSurrogate(piece: Buffer, slash: number): boolean {
  if (piece[slash + 1] !== LETTER_U) return false;
  const digits = piece.toString('latin1', slash + 2, slash + 4);
  return /^d[89ab]$/iu.test(digits);
}

/** Cuts before an incomplete character. */
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
