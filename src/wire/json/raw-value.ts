import type { SpillPart } from '../../model/spilled.js';
import { decode } from './decode.js';
import { StringEnd } from './string-end.js';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, isOpening, QUOTE } from './json-bytes.js';

/** One JSON value as unparsed bytes: dropped, or kept in memory while small and spilled when large. */
export class RawValue {
  isComplete = false;
  bytes = 0;
  preview = '';
  part: SpillPart | undefined;
  wait: Promise<void> | undefined;
  /** The greatest nesting depth so far. */
  depth = 0;
  /** Of a container whose beginning was parsed: the end of the container is the end of this. */
  isRest = false;

  readonly #openPart: (() => SpillPart) | undefined;
  readonly #end = new StringEnd();
  #kept: Buffer[] | undefined;
  #shape: 'unknown' | 'literal' | 'string' | 'container' = 'unknown';
  #inString = false;
  #open = 0;

  /** `openPart`: keeps the value, in a spill file if it is large. Without it the value is dropped. */
  constructor(openPart: (() => SpillPart) | undefined) {
    this.#openPart = openPart;
    this.#kept = openPart && [];
  }

  /** Drops the rest of containers that are open inside each other. */
  static restOf(depth: number): RawValue {
    const rest = new RawValue(undefined);
    rest.isRest = true;
    rest.#shape = 'container';
    rest.#open = depth;
    return rest;
  }

  /** The whole value if it is small; undefined otherwise. */
  get kept(): Buffer | undefined {
    return this.#kept && Buffer.concat(this.#kept);
  }

  /** Takes the bytes of the value. Returns the index after them. */
  take(bytes: Buffer, from: number): number {
    this.wait = undefined;
    const to = this.#walk(bytes, from);
    this.bytes += to - from;
    if (this.#openPart && to > from) this.#keep(bytes.subarray(from, to), this.#openPart);
    return to;
  }

  #keep(piece: Buffer, openPart: () => SpillPart): void {
    if (this.part) {
      this.wait = this.part.write(piece);
      return;
    }
    this.#kept!.push(piece);
    if (this.bytes <= VALUE_IN_MEMORY) return;
    const soFar = this.kept!;
    this.#kept = undefined;
    this.preview = decode(soFar.subarray(0, PREVIEW)).text;
    this.part = openPart();
    this.wait = this.part.write(soFar);
  }

  #walk(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#shape === 'unknown') {
      const code = bytes[at]!;
      this.#shape = code === QUOTE ? 'string' : isOpening(code) ? 'container' : 'literal';
      if (this.#shape === 'string') {
        this.#inString = true;
        at++;
      }
    }
    if (this.#shape === 'literal') {
      while (at < bytes.length && !endsLiteral(bytes[at]!)) at++;
      this.isComplete = at < bytes.length;
      return at;
    }
    while (at < bytes.length) {
      if (this.#inString) {
        const end = this.#end.find(bytes, at);
        if (end === -1) return bytes.length;
        this.#inString = false;
        at = end + 1;
        if (this.#shape === 'string') return this.#complete(at);
        continue;
      }
      const code = bytes[at++]!;
      if (code === QUOTE) this.#inString = true;
      else if (isOpening(code)) {
        if (++this.#open > this.depth) this.depth = this.#open;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        if (--this.#open === 0) return this.#complete(at);
      }
    }
    return at;
  }

  #complete(at: number): number {
    this.isComplete = true;
    return at;
  }
}

function endsLiteral(code: number): boolean {
  return code <= 0x20 || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

const VALUE_IN_MEMORY = 256_000;
const PREVIEW = 2048;
