import { MESSAGE_DEPTH_LIMIT, NODE_LIMIT } from './json-bounds.js';
import { LongText, Scratch } from './long-text.js';
import { RawValue } from './raw-value.js';
import { findSiblings, parseSiblings } from './siblings.js';
import type { SpillPart } from '../../model/spilled.js';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, isOpening } from './json-bytes.js';

/** What to do with the value that begins under this key of the outermost object. */
export type ValueTreatment = 'build' | 'skip' | 'spill';

export interface JsonStreamOptions {
  readonly route: (key: string) => ValueTreatment;
  /** Opens a place for a value that is too large for memory; asked only below a key whose route is `spill`. */
  readonly openPart: () => SpillPart;
  /** How long a text may be that has no such place. */
  readonly textLimit?: number;
}

/** A value that left for a SpillStore, and the place in the tree where its stand-in belongs. */
export interface SpilledPlace {
  readonly kind: 'text' | 'json';
  readonly part: SpillPart;
  /** Where it will be, once the disk has it. */
  readonly place: Promise<string>;
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
  readonly bytes: number;
  readonly preview: string;
}

/**
 * A JSON parser that takes its text in pieces and keeps nothing of them, for messages that JSON.parse would hold the
 * event loop with. Native code does what is long (strings); only structure is walked here. No recursion: a counter.
 */
export class JsonStream {
  readonly spilledPlaces: SpilledPlace[] = [];
  /** Why the text was given up as a value; what follows is only walked to find the id. */
  fault: Fault | undefined;
  /** The text is no JSON; nothing more is looked at. */
  broken: string | undefined;
  /** Some bytes were no UTF-8 and were replaced. */
  replaced = false;
  value: unknown;
  /** Nothing more is taken, and nothing more goes to the disk. */
  isDiscarded = false;

  readonly #options: JsonStreamOptions;
  readonly #textLimit: number;
  readonly #stack: Frame[] = [];
  readonly #scratch = new Scratch();
  #expect: Expect = 'value';
  #nodes = 0;
  #inline = 0;
  #spilling = false;
  #text: LongText | undefined;
  #raw: RawValue | undefined;
  #literal = '';
  #wait: Promise<void> | undefined;
  /** Containers up to this depth are known to go on beyond the piece at hand. */
  #openDepth = 0;

  constructor(options: JsonStreamOptions) {
    this.#options = options;
    this.#textLimit = options.textLimit ?? TEXT_LIMIT;
  }

  /** The outermost object as far as it is known: its id, before all of it is there. */
  get outermost(): unknown {
    return this.value ?? this.#stack[0]?.value;
  }

  /** A promise asks to wait with the next piece: the disk is slower than the server. */
  push(bytes: Buffer): Promise<void> | undefined {
    this.#wait = undefined;
    this.#openDepth = 0;
    let at = 0;
    while (at < bytes.length && this.broken === undefined && !this.isDiscarded) at = this.#step(bytes, at);
    return this.#wait;
  }

  /** Nothing follows. */
  end(): void {
    if (this.broken !== undefined) return;
    if (this.#literal !== '') this.#endLiteral();
    if (this.broken === undefined && this.#expect !== 'end') this.broken = 'it ends too early';
  }

  /** Nobody wants what was sent to the disk. */
  async discard(): Promise<void> {
    this.isDiscarded = true;
    const parts = this.spilledPlaces.splice(0).map(({ part }) => part);
    const open = this.#text?.part ?? this.#raw?.part;
    if (open) parts.push(open);
    await Promise.all(parts.map((part) => part.discard()));
  }

  #step(bytes: Buffer, at: number): number {
    if (this.#text) return this.#continueText(this.#text, bytes, at);
    if (this.#raw) return this.#continueRaw(this.#raw, bytes, at);
    const code = bytes[at]!;
    if (this.#literal !== '') {
      if (!isLiteral(code)) this.#endLiteral();
      else {
        this.#literal += String.fromCharCode(code);
        if (this.#literal.length > LITERAL_LIMIT) this.broken = 'it holds a number that is far too long';
        return at + 1;
      }
    }
    if (code <= 0x20) {
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) this.#refuse(code);
      return at + 1;
    }
    if (this.broken !== undefined) return at;
    return this.#token(code, bytes, at);
  }

  #token(code: number, bytes: Buffer, at: number): number {
    switch (this.#expect) {
      case 'value-or-close':
        if (code === CLOSE_BRACKET) return this.#close(at);
        return this.#siblings(bytes, at) ?? this.#begin(code, bytes, at);
      case 'value':
        return (
          (this.#stack.at(-1)?.isArray === true ? this.#siblings(bytes, at) : undefined) ?? this.#begin(code, bytes, at)
        );
      case 'key-or-close':
        if (code === CLOSE_BRACE) return this.#close(at);
        return this.#siblings(bytes, at) ?? this.#beginKey(code, at);
      case 'key':
        return this.#siblings(bytes, at) ?? this.#beginKey(code, at);
      case 'colon':
        if (code !== COLON) return this.#refuse(code, at);
        this.#expect = 'value';
        return at + 1;
      case 'comma-or-close': {
        const frame = this.#stack.at(-1)!;
        if (code === COMMA) {
          this.#expect = frame.isArray ? 'value' : 'key';
          return at + 1;
        }
        return code === (frame.isArray ? CLOSE_BRACKET : CLOSE_BRACE) ? this.#close(at) : this.#refuse(code, at);
      }
      case 'end':
        return this.#refuse(code, at);
      default:
        return this.#refuse(code, at);
    }
  }

  /** Whole values beside each other are parsed natively, all at once; only what is cut by the end of a piece is walked. */
  #siblings(bytes: Buffer, at: number): number | undefined {
    const level = this.#stack.length;
    // Not the outermost object, whose keys are routed, nor a container whose siblings were looked for in vain.
    if (level < 2 || level > SIBLING_DEPTH || level <= this.#openDepth || this.fault !== undefined) return undefined;
    // Containers that begin at once within each other have no whole values side by side yet.
    if (isOpening(bytes[at]) && isOpening(bytes[at + 1])) return undefined;
    const found = findSiblings(bytes, at);
    if (!found.isClosed) this.#openDepth = level;
    if (found.end === at || level + found.depth > MESSAGE_DEPTH_LIMIT) return undefined;
    if ((this.#nodes += found.nodes) > NODE_LIMIT) this.#giveUp('values');
    if (this.#spilling) this.#count(found.end - at + found.nodes * NODE_COST);
    try {
      const frame = this.#stack.at(-1)!;
      const { value, replaced } = parseSiblings(bytes.subarray(at, found.end), frame.isArray);
      this.replaced ||= replaced;
      addAll(frame, value);
      this.#expect = 'comma-or-close';
    } catch {
      this.broken = 'a value in it is malformed';
    }
    return found.end;
  }

  /** A value begins here. */
  #begin(code: number, bytes: Buffer, at: number): number {
    const frame = this.#stack.at(-1);
    if (++this.#nodes > NODE_LIMIT) this.#giveUp('values');
    if (this.#stack.length === 1 && frame && !frame.isArray) {
      const route = this.#options.route(frame.key);
      this.#spilling = route === 'spill';
      if (route === 'skip') return this.#beginRaw(undefined, bytes, at);
    }
    // Structured content has many small values: in memory each costs far more than its bytes.
    const isStructured = this.#spilling && this.#stack.length === 2 && frame!.key === 'structuredContent';
    // Given up: only what tells whose answer this was is still of use.
    const isName = this.#stack.length === 1 && frame!.key !== 'result' && frame!.key !== 'params';
    if (this.fault !== undefined && this.#stack.length > 0 && !isName) return this.#beginRaw(undefined, bytes, at);
    if (isStructured) return this.#beginRaw(this.#options.openPart, bytes, at);
    if (code === QUOTE) {
      this.#text = new LongText(this.#scratch, this.#spilling ? this.#options.openPart : undefined);
      return at + 1;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (this.#stack.length >= MESSAGE_DEPTH_LIMIT) {
        this.#giveUp('depth');
        return this.#beginRaw(undefined, bytes, at);
      }
      const isArray = code === OPEN_BRACKET;
      this.#stack.push({ isArray, value: isArray ? [] : {}, key: '' });
      this.#expect = isArray ? 'value-or-close' : 'key-or-close';
      return at + 1;
    }
    if (!isLiteral(code)) return this.#refuse(code, at);
    this.#literal = String.fromCharCode(code);
    return at + 1;
  }

  #beginKey(code: number, at: number): number {
    if (code !== QUOTE) return this.#refuse(code, at);
    this.#text = new LongText(this.#scratch, undefined);
    this.#expect = 'key';
    return at + 1;
  }

  #beginRaw(openPart: (() => SpillPart) | undefined, bytes: Buffer, at: number): number {
    this.#raw = new RawValue(openPart);
    return this.#continueRaw(this.#raw, bytes, at);
  }

  #continueText(text: LongText, bytes: Buffer, at: number): number {
    const next = text.take(bytes, at);
    this.#wait = text.wait ?? this.#wait;
    this.replaced ||= text.replaced;
    if (text.broken) {
      this.broken = 'a string in it is malformed';
      this.#text = undefined;
      return next;
    }
    if (this.#expect === 'key' && text.bytes > KEY_LIMIT) this.broken = 'a key in it is far too long';
    // One that has a place goes there as it comes.
    else if (text.part === undefined && text.bytes > this.#textLimit) this.broken = 'a string in it is far too long';
    if (this.broken !== undefined) this.#text = undefined;
    if (this.broken !== undefined || !text.isComplete) return next;
    this.#text = undefined;
    if (this.#expect === 'key') {
      this.#stack.at(-1)!.key = text.value;
      this.#expect = 'colon';
      return next;
    }
    if (text.part) this.#spill('text', text.part, text);
    else {
      if (this.#spilling) this.#count(text.bytes);
      this.#place(text.value);
    }
    return next;
  }

  #continueRaw(raw: RawValue, bytes: Buffer, at: number): number {
    const next = raw.take(bytes, at);
    this.#wait = raw.wait ?? this.#wait;
    if (raw.depth + this.#stack.length > MESSAGE_DEPTH_LIMIT) this.#giveUp('depth');
    if (!raw.isComplete) return next;
    this.#raw = undefined;
    if (raw.part) this.#spill('json', raw.part, raw);
    else if (raw.kept) {
      try {
        this.#count(raw.bytes);
        this.#place(JSON.parse(raw.kept.toString('utf8')));
      } catch {
        this.broken = 'a value in it is malformed';
      }
    } else this.#place(undefined);
    return next;
  }

  #endLiteral(): void {
    const literal = this.#literal;
    this.#literal = '';
    try {
      if (this.#spilling) this.#count(literal.length);
      this.#place(JSON.parse(literal));
    } catch {
      this.broken = `"${literal.slice(0, 20)}" is no JSON value`;
    }
  }

  #spill(kind: 'text' | 'json', part: SpillPart, { bytes, preview }: { bytes: number; preview: string }): void {
    const frame = this.#stack.at(-1)!;
    const key = frame.isArray ? (frame.value as unknown[]).length : frame.key;
    this.#place(undefined);
    // Closed at once: a thousand of them must not be open together.
    const place = part.end();
    const written = place.then(noop, noop);
    const before = this.#wait;
    this.#wait = before ? before.then(() => written) : written;
    const holder = frame.value as Record<string | number, unknown>;
    this.spilledPlaces.push({ kind, part, place, holder, key, bytes, preview });
    if (this.spilledPlaces.length > PART_LIMIT) this.#giveUp('large');
  }

  /** What stays in memory of an answer that is too large for it. */
  #count(bytes: number): void {
    this.#inline += bytes + NODE_COST;
    if (this.#inline > INLINE_LIMIT) this.#giveUp('large');
  }

  #close(at: number): number {
    const { value } = this.#stack.pop()!;
    this.#place(value);
    return at + 1;
  }

  #place(value: unknown): void {
    const frame = this.#stack.at(-1);
    if (!frame) {
      this.value = value;
      this.#expect = 'end';
      return;
    }
    this.#expect = 'comma-or-close';
    // Given up: what would come in here is not even counted any more.
    if (this.fault !== undefined && this.#stack.length > 1) return;
    if (frame.isArray) (frame.value as unknown[]).push(value);
    else setOwn(frame.value, frame.key, value);
  }

  /** What was built so far goes at once: it may be most of what memory there is. */
  #giveUp(fault: Fault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    for (const frame of this.#stack.slice(1)) frame.value = frame.isArray ? [] : {};
    const outermost = this.#stack[0];
    for (const key of ['result', 'params'])
      if (outermost && !outermost.isArray) Reflect.deleteProperty(outermost.value, key);
  }

  #refuse(code: number, at = 0): number {
    this.broken = `it has ${JSON.stringify(String.fromCharCode(code))} where ${this.#expect.replaceAll('-', ' ')} belongs`;
    return at + 1;
  }
}

function noop(): void {}

/** As many values at once as a piece has of them. */
function addAll({ isArray, value }: Frame, more: object): void {
  if (isArray) for (const one of more as unknown[]) (value as unknown[]).push(one);
  else for (const [key, one] of Object.entries(more)) setOwn(value, key, one);
}

/** As JSON.parse does it: an own key, whatever its name. */
function setOwn(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') (target as Record<string, unknown>)[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

interface Frame {
  readonly isArray: boolean;
  value: object;
  key: string;
}

type Fault = 'depth' | 'values' | 'large';
type Expect = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

const SIBLING_DEPTH = 32; // deeper ones are walked: each level may look through a whole piece
const LITERAL_LIMIT = 1024; // the longest number that means anything has about 770 digits
const KEY_LIMIT = 64_000;
const TEXT_LIMIT = 16_000_000; // as much as a whole message may have in memory
const INLINE_LIMIT = 8_000_000; // with what the values cost beside their bytes, a spilled answer stays well under 64 MB
const NODE_COST = 32;
const PART_LIMIT = 1_000; // files for one answer

function isLiteral(code: number): boolean {
  return (
    (code >= 0x2b && code <= 0x3a && code !== COMMA && code !== COLON) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  );
}
