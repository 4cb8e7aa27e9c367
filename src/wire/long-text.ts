import { isUtf8 } from 'node:buffer';
import { decode } from './decode.js';
import type { SpillPart } from './spill.js';
import { StringEnd } from './string-end.js';

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
  readonly #end = new StringEnd();
  #pieces: string[] = [];
  #held = Buffer.alloc(0);
  #hasHeldEscape = false;

  /** `openPart`: where a long one goes; without it everything stays in memory. */
  constructor(openPart: (() => SpillPart) | undefined) {
    this.#openPart = openPart;
  }

  get value(): string {
    return this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join('');
  }

  /** Takes what belongs to the string and gives the index behind it. */
  take(bytes: Buffer, at: number): number {
    this.wait = undefined;
    const end = this.#end.find(bytes, at);
    const hasEscape = this.#end.hasEscape || this.#hasHeldEscape;
    let piece = bytes.subarray(at, end === -1 ? bytes.length : end);
    if (this.#held.length > 0) piece = Buffer.concat([this.#held, piece]);
    this.#held = EMPTY;
    this.#hasHeldEscape = false;
    if (end === -1) {
      const cut = safeCut(piece);
      if (cut < piece.length) {
        this.#held = Buffer.from(piece.subarray(cut));
        this.#hasHeldEscape = hasEscape;
        piece = piece.subarray(0, cut);
      }
    }
    if (piece.length > 0) this.#add(piece, hasEscape);
    if (end === -1) return bytes.length;
    this.isComplete = true;
    return end + 1;
  }

  #add(piece: Buffer, hasEscape: boolean): void {
    if (this.part && !hasEscape && isUtf8(piece)) return this.#write(piece);
    const text = hasEscape ? this.#unescape(piece) : this.#decode(piece);
    if (text === undefined) {
      this.broken = true;
      return undefined;
    }
    if (this.part) return this.#write(Buffer.from(text, 'utf8'));
    this.bytes += piece.length;
    this.#pieces.push(text);
    if (this.#openPart && this.bytes > TEXT_IN_MEMORY) {
      const soFar = this.value;
      this.preview = soFar.slice(0, PREVIEW);
      this.#pieces = [];
      this.bytes = 0;
      this.part = this.#openPart();
      this.#write(Buffer.from(soFar, 'utf8'));
    }
    return undefined;
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

  /** JSON.parse unescapes natively; all it needs is the quotes. */
  #unescape(piece: Buffer): string | undefined {
    const quoted = Buffer.allocUnsafe(piece.length + 2);
    quoted[0] = QUOTE;
    piece.copy(quoted, 1);
    quoted[quoted.length - 1] = QUOTE;
    try {
      return JSON.parse(this.#decode(quoted)) as string;
    } catch {
      return undefined;
    }
  }
}

const EMPTY: Buffer<ArrayBuffer> = Buffer.alloc(0);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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
