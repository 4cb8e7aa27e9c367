import { BoundedList, ITEM_LIMIT, LIST_LEVEL } from './bounded-list.js';
import { addAll, type OpenContainer, setOwn } from './open-container.js';
import { MESSAGE_DEPTH_LIMIT, NODE_COST, NODE_LIMIT } from './json-bounds.js';
import { isLiteral, LITERAL_LIMIT } from './literal.js';
import { LongText, Scratch } from './long-text.js';
import { RawValue } from './raw-value.js';
import { findSiblings, parseSiblings } from './siblings.js';
import { markCut, type SpillPart } from '../../model/spilled.js';
import type { Fault, JsonStreamOptions, SpilledPlace } from './json-treatment.js';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, isOpening } from './json-bytes.js';

/**
 * An incremental JSON parser that keeps no input, for messages that would block the event loop in JSON.parse. Strings
 * are parsed natively; only structure is walked here, without recursion.
 */
export class JsonStream {
  readonly spilledPlaces: SpilledPlace[] = [];
  /** Why the value was given up; the rest is walked only to find the id. */
  fault: Fault | undefined;
  /** Why the text is not JSON; nothing more is parsed. */
  broken: string | undefined;
  /** Some bytes were invalid UTF-8 and were replaced. */
  replaced = false;
  value: unknown;
  /** Input is ignored, and nothing more is spilled. */
  isDiscarded = false;

  readonly #options: JsonStreamOptions;
  readonly #textLimit: number;
  readonly #stack: OpenContainer[] = [];
  readonly #scratch = new Scratch();
  #expect: Expect = 'value';
  #nodes = 0;
  #inline = 0;
  #spilling = false;
  #list: BoundedList | undefined;
  #text: LongText | undefined;
  #raw: RawValue | undefined;
  #literal = '';
  #wait: Promise<void> | undefined;
  /** Containers up to this depth are walked: they extend beyond the current chunk, or a bound of the list is near. */
  #openDepth = 0;
  /** Bytes before the current chunk. */
  #offset = 0;

  constructor(options: JsonStreamOptions) {
    this.#options = options;
    this.#textLimit = options.textLimit ?? TEXT_LIMIT;
  }

  /** The outermost object as far as parsed, to read its id early. */
  get outermost(): unknown {
    return this.value ?? this.#stack[0]?.value;
  }

  /** Returns a promise to wait for before the next chunk, when the disk is slower than the server. */
  push(bytes: Buffer): Promise<void> | undefined {
    this.#wait = undefined;
    this.#openDepth = 0;
    let at = 0;
    while (at < bytes.length && this.broken === undefined && !this.isDiscarded) at = this.#step(bytes, at);
    this.#offset += bytes.length;
    return this.#wait;
  }

  /** Ends the input. */
  end(): void {
    if (this.broken !== undefined) return;
    if (this.#literal !== '') this.#endLiteral();
    // After a fault the message may have been read no further.
    if (this.broken === undefined && this.fault === undefined && this.#expect !== 'end')
      this.broken = 'it ends too early';
  }

  /** Deletes everything that was spilled. */
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
    const isEnd = this.#expect === 'comma-or-close';
    if (this.#list?.isLeftOut(this.#stack, { code, position: this.#offset + at, isEnd }) === true)
      return this.#skip(bytes, at);
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

  /** Parses complete sibling values natively, all at once; only values cut by the end of a chunk are walked. */
  #siblings(bytes: Buffer, at: number): number | undefined {
    const level = this.#stack.length;
    // Not the outermost object, whose keys are routed, nor one with a list, which would be read without its bounds.
    if (level <= (this.#list ? LIST_LEVEL : 1) || this.fault !== undefined) return undefined;
    // Nor containers that are known to hold no complete sibling.
    if (level > SIBLING_DEPTH || level <= this.#openDepth) return undefined;
    // Containers that open directly inside each other have no complete siblings yet.
    if (isOpening(bytes[at]) && isOpening(bytes[at + 1])) return undefined;
    const found = findSiblings(bytes, at);
    if (!found.isClosed) this.#openDepth = level;
    if (found.end === at || level + found.depth > MESSAGE_DEPTH_LIMIT) return undefined;
    // Near a bound values are taken one by one, to find the one at which it is reached.
    const walk = (): undefined => void (this.#openDepth = level);
    if (this.#list?.fits(this.#offset + found.end, found.nodes) === false) return walk();
    this.#addNodes(found.nodes);
    if (this.#spilling) this.#count(found.end - at + found.nodes * NODE_COST);
    try {
      const frame = this.#stack.at(-1)!;
      const { value, replaced } = parseSiblings(bytes.subarray(at, found.end), frame.isArray);
      const isList = level === LIST_LEVEL + 1;
      if (isList && this.#list?.hasRoomFor(value, frame) === false) return walk();
      this.replaced ||= replaced;
      addAll(frame, value);
      this.#list?.addNodes(found.nodes, level);
      if (isList) this.#list?.count(frame);
      this.#expect = 'comma-or-close';
    } catch {
      this.broken = 'a value in it is malformed';
    }
    return found.end;
  }

  #begin(code: number, bytes: Buffer, at: number): number {
    const frame = this.#stack.at(-1);
    this.#addNodes(1);
    this.#list?.addNodes(1, this.#stack.length);
    if (this.#stack.length === 1 && frame && !frame.isArray) {
      const route = this.#options.route(frame.key);
      this.#spilling = route === 'spill';
      this.#list = typeof route === 'object' ? new BoundedList(route) : undefined;
      if (route === 'skip') return this.#beginRaw(undefined, bytes, at);
    }
    if (this.#spilling && this.#stack.length === 2 && code === OPEN_BRACKET) this.#beginList(frame!.key);
    // Structured content has many small values, each of which costs far more memory than its bytes.
    const isStructured = this.#spilling && this.#stack.length === 2 && frame!.key === 'structuredContent';
    // After a fault only the keys that identify the response are still needed.
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
      if (this.#stack.length === LIST_LEVEL + 1) this.#list?.begin(this.#offset + at);
      this.#expect = isArray ? 'value-or-close' : 'key-or-close';
      return at + 1;
    }
    if (!isLiteral(code)) return this.#refuse(code, at);
    this.#literal = String.fromCharCode(code);
    return at + 1;
  }

  #beginList(key: string): void {
    const list = this.spilledPlaces.length === 0 ? this.#options.listAt?.(key) : undefined;
    if (!list) return;
    this.#spilling = false;
    this.#list = new BoundedList(list);
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
    // A string with a spill file has no limit here.
    else if (text.part === undefined && text.bytes > (this.#list ? ITEM_LIMIT : this.#textLimit)) {
      if (this.#list) this.#dropText(text);
      else this.broken = 'a string in it is far too long';
    }
    if (this.broken !== undefined) this.#text = undefined;
    if (this.broken !== undefined || !text.isComplete) return next;
    this.#text = undefined;
    if (this.#expect === 'key') {
      this.#stack.at(-1)!.key = text.value;
      if (this.#spilling) this.#count(text.bytes);
      this.#list?.addText(text.bytes, this.#stack.length);
      this.#expect = 'colon';
      return next;
    }
    if (text.isDropped) this.#place(undefined);
    else if (text.part) this.#spill('text', text.part, text);
    else {
      if (this.#spilling) this.#count(text.bytes);
      this.#list?.addText(text.bytes, this.#stack.length);
      this.#place(text.value);
    }
    return next;
  }

  /** The rest is walked for the id, which may come last. */
  #dropText(text: LongText): void {
    text.drop();
    this.#giveUp('text');
  }

  #continueRaw(raw: RawValue, bytes: Buffer, at: number): number {
    const next = raw.take(bytes, at);
    this.#wait = raw.wait ?? this.#wait;
    if (raw.depth + this.#stack.length > MESSAGE_DEPTH_LIMIT) this.#giveUp('depth');
    if (!raw.isComplete) return next;
    this.#raw = undefined;
    if (raw.isRest) this.#endSkipped(next);
    else if (raw.part) this.#spill('json', raw.part, raw);
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
    // Closed at once, so that not a thousand files are open together.
    const place = part.end();
    const written = place.then(noop, noop);
    const before = this.#wait;
    this.#wait = before ? before.then(() => written) : written;
    const holder = frame.value as Record<string | number, unknown>;
    this.spilledPlaces.push({ kind, part, place, holder, key, bytes, preview });
    if (this.spilledPlaces.length > PART_LIMIT) this.#giveUp('large');
  }

  /** Counts what stays in memory of a response that is spilled. */
  #count(bytes: number): void {
    this.#inline += bytes + NODE_COST;
    if (this.#inline > INLINE_LIMIT) this.#giveUp('large');
  }

  #close(at: number): number {
    this.#pop(at);
    return at + 1;
  }

  #pop(at: number): void {
    this.#place(this.#stack.pop()!.value);
    if (this.#stack.length === LIST_LEVEL) this.#list?.end(this.#offset + at);
  }

  /** Skips the rest of the list with the item that is being built, or only the rest of that item. */
  #skip(bytes: Buffer, at: number): number {
    const { isFull } = this.#list!;
    this.#raw = RawValue.restOf(this.#stack.length - LIST_LEVEL - (isFull ? 0 : 1));
    this.#stack.length = LIST_LEVEL + 1;
    markCut(this.#stack[LIST_LEVEL]!.value, isFull ? 'rest' : 'items');
    return this.#continueRaw(this.#raw, bytes, at);
  }

  #endSkipped(at: number): void {
    this.#list!.drop(this.#offset + at);
    if (this.#list!.isFull) return this.#pop(at);
    this.#expect = 'comma-or-close';
  }

  /** A list has a bound of its own. */
  #addNodes(count: number): void {
    if (this.#list) return void (this.#list.isFar && this.#giveUp('large'));
    if ((this.#nodes += count) > NODE_LIMIT) this.#giveUp('values');
  }

  #place(value: unknown): void {
    const frame = this.#stack.at(-1);
    if (!frame) {
      this.value = value;
      this.#expect = 'end';
      return;
    }
    this.#expect = 'comma-or-close';
    // After a fault, nested values are dropped.
    if (this.fault !== undefined && this.#stack.length > 1) return;
    if (frame.isArray) {
      (frame.value as unknown[]).push(value);
      if (this.#stack.length === LIST_LEVEL + 1) this.#list?.count(frame);
    } else setOwn(frame.value, frame.key, value);
  }

  /** Frees what was built so far at once: it may be most of the memory. */
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

type Expect = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

const SIBLING_DEPTH = 32; // deeper containers are walked, since each level may scan a whole chunk
const KEY_LIMIT = 64_000;
const TEXT_LIMIT = 16_000_000; // bytes; the memory limit of a whole message
const INLINE_LIMIT = 8_000_000; // with the overhead of values a spilled response stays well under 64 MB
const PART_LIMIT = 1_000; // files for one response
