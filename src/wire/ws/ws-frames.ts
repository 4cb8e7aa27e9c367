// WebSocket frames: https://www.rfc-editor.org/rfc/rfc6455#section-5

/** Receives a server's frames. Bytes are slices of the input, not copies. Contract: must not throw, may `pause`. */
export interface FrameSink {
  /** A message that arrived in one frame and one chunk. */
  whole(bytes: Buffer, from: number, to: number): void;
  /** A piece of any other message; an empty fragment is an empty piece. */
  piece(bytes: Buffer, from: number, to: number): void;
  /** The pieces since the last `end` are a complete message. */
  end(): void;
  /** The message that starts here is marked as binary. */
  binary(): void;
  ping(payload: Buffer): void;
  pong(payload: Buffer): void;
  /** The server sent a close frame; nothing after it is read. */
  closing(frame: CloseFrame): void;
  /** The server broke the protocol, so the start of its next frame is unknown. */
  fault(fault: FrameFault): void;
}

export interface CloseFrame {
  /** Undefined when the frame has none. */
  readonly code: number | undefined;
  /** Unchecked: up to 123 arbitrary bytes. */
  readonly reason: Buffer;
}

export interface FrameFault {
  /** The close code to send to the server. */
  readonly code: typeof PROTOCOL_ERROR | typeof TOO_BIG;
  /** Completes a sentence that starts with "it": "it masks its frames". */
  readonly reason: string;
}

export const NORMAL = 1000;
export const PROTOCOL_ERROR = 1002;
export const TOO_BIG = 1009;

/**
 * Reads frames as they arrive. Not the package `ws`, which buffers each message until it is complete, so that it can be
 * neither bounded early nor spilled, closes the connection for one that is too large, and writes messages one by one.
 * The tests use `ws` as server and oracle, and the benchmark as its baseline.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #messageLimit: number;
  /** The start of an incomplete header. */
  readonly #head = Buffer.alloc(LONGEST_HEADER);
  #headBytes = 0;
  #opcode = 0;
  #isFinal = false;
  /** Payload bytes of the current frame that have not arrived. */
  #left = 0;
  #isOpen = false;
  #messageBytes = 0;
  #control: Buffer = EMPTY;
  #isPaused = false;
  #isOver = false;
  #isEndDue = false;
  #waiting: Buffer[] = [];

  constructor(sink: FrameSink, options: { readonly messageLimit: number }) {
    this.#sink = sink;
    this.#messageLimit = options.messageLimit;
  }

  push(bytes: Buffer): void {
    if (this.#isPaused) this.#waiting.push(bytes);
    else this.#read(bytes);
  }

  /** Called by the sink: nothing is delivered until `resume`; input is buffered. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Delivers the buffered input; may end paused again. */
  resume(): void {
    this.#isPaused = false;
    if (this.#isEndDue) this.#endMessage();
    while (!this.#isPaused && this.#waiting.length > 0) this.#read(this.#waiting.shift()!);
  }

  /** Drops all further input. */
  close(): void {
    this.#isOver = true;
    this.#waiting = [];
  }

  #read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.#isOver) {
      if (this.#isPaused) {
        this.#waiting.unshift(bytes.subarray(at));
        return;
      }
      at = this.#left > 0 ? this.#readPayload(bytes, at) : this.#readHeader(bytes, at);
    }
  }

  #readHeader(bytes: Buffer, at: number): number {
    if (this.#headBytes === 0 && at + 2 <= bytes.length) {
      const size = headerSize(bytes[at + 1]!);
      if (at + size <= bytes.length) return this.#startFrame(bytes, at) ? this.#startPayload(bytes, at + size) : at;
    }
    this.#head[this.#headBytes++] = bytes[at]!;
    if (this.#headBytes < 2 || this.#headBytes < headerSize(this.#head[1]!)) return at + 1;
    this.#headBytes = 0;
    return this.#startFrame(this.#head, 0) ? this.#startPayload(bytes, at + 1) : at;
  }

  /** Returns false when a server may not send this frame now. */
  #startFrame(bytes: Buffer, at: number): boolean {
    const first = bytes[at]!;
    const second = bytes[at + 1]!;
    const opcode = first & OPCODE;
    this.#opcode = opcode;
    this.#isFinal = (first & FINAL) !== 0;
    if ((first & RESERVED) !== 0) return this.#fail('it sets bits of extensions that were not negotiated');
    if ((second & MASKED) !== 0) return this.#fail('it masks its frames, which only a client does');
    const length = second & LENGTH;
    this.#left = length < SHORT ? length : longLength(bytes, at + 2, length);
    if (opcode >= CLOSE) return this.#startControl(opcode);
    if (opcode > BINARY) return this.#fail(`it sends frames of the unknown type ${opcode}`);
    if ((opcode === CONTINUATION) !== this.#isOpen) {
      return this.#fail(this.#isOpen ? 'it begins a message within another' : 'it continues no open message');
    }
    this.#messageBytes = this.#isOpen ? this.#messageBytes + this.#left : this.#left;
    if (this.#messageBytes > this.#messageLimit) {
      return this.#fail(`it sends a message of more than ${Math.round(this.#messageLimit / 1_000_000)} MB`, TOO_BIG);
    }
    if (opcode === BINARY) this.#sink.binary();
    return true;
  }

  #startControl(opcode: number): boolean {
    if (opcode > PONG) return this.#fail(`it sends frames of the unknown type ${opcode}`);
    if (!this.#isFinal) return this.#fail('it sends a control frame in fragments');
    if (this.#left > CONTROL_LIMIT) return this.#fail(`it sends a control frame of ${this.#left} bytes`);
    return true;
  }

  /** Handles the usual case first: the frame is a whole message, and complete. */
  #startPayload(bytes: Buffer, at: number): number {
    const end = at + this.#left;
    if (end <= bytes.length && this.#isFinal && (this.#opcode === TEXT || this.#opcode === BINARY)) {
      this.#left = 0;
      this.#sink.whole(bytes, at, end);
      return end;
    }
    if (this.#opcode < CLOSE) this.#isOpen = true;
    else this.#control = EMPTY;
    return this.#left === 0 || at < bytes.length ? this.#readPayload(bytes, at) : at;
  }

  #readPayload(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#left, bytes.length);
    this.#left -= end - at;
    if (this.#opcode >= CLOSE) {
      this.#control = Buffer.concat([this.#control, bytes.subarray(at, end)]);
      if (this.#left === 0) this.#endControl(this.#control);
      return end;
    }
    this.#sink.piece(bytes, at, end);
    if (this.#left > 0 || !this.#isFinal || this.#isOver) return end;
    this.#isOpen = false;
    if (this.#isPaused) this.#isEndDue = true;
    else this.#sink.end();
    return end;
  }

  #endMessage(): void {
    this.#isEndDue = false;
    this.#sink.end();
  }

  #endControl(payload: Buffer): void {
    if (this.#opcode === PING) return this.#sink.ping(payload);
    if (this.#opcode === PONG) return this.#sink.pong(payload);
    if (payload.length === 1) return void this.#fail('it sends half a close code');
    this.close();
    return this.#sink.closing({
      code: payload.length === 0 ? undefined : payload.readUInt16BE(0),
      reason: payload.subarray(2),
    });
  }

  #fail(reason: string, code: FrameFault['code'] = PROTOCOL_ERROR): false {
    this.close();
    this.#sink.fault({ code, reason });
    return false;
  }
}

/** Random masks, generated in batches: a single request for random bytes costs more than a small message. */
export class Masks {
  readonly #words = new Uint32Array(MASKS_AT_ONCE);
  #left = 0;

  next(): number {
    if (this.#left === 0) {
      crypto.getRandomValues(this.#words);
      this.#left = MASKS_AT_ONCE;
    }
    return this.#words[--this.#left]!;
  }
}

const MASKS_AT_ONCE = 256;

/**
 * Texts as frames, in one buffer for one write. All is masked with one random word; each frame's key is that word,
 * rotated to the frame's offset. Masking hides nothing, but keeps an author of texts from making a proxy mistake the
 * bytes for HTTP.
 */
export function textFrames(texts: readonly string[], mask: number): Buffer {
  const lengths: number[] = [];
  let size = 0;
  for (const text of texts) {
    const length = Buffer.byteLength(text);
    lengths.push(length);
    size += length + headerLength(length) + KEY;
  }
  const memory = Buffer.allocUnsafe(size + 6);
  const start = -memory.byteOffset & 3; // aligns to a word
  const words = new Uint32Array(memory.buffer, memory.byteOffset + start, (size + 3) >>> 2);
  const frames = memory.subarray(start, start + size);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index]!;
    at += headerLength(length) + KEY;
    // As many bytes as characters means ASCII, which is faster to write as latin1.
    at += frames.write(text, at, length, length === text.length ? 'latin1' : 'utf8');
  }
  for (let index = 0; index < words.length; index++) words[index]! ^= mask;
  const key = Buffer.from(Uint32Array.of(mask).buffer);
  at = 0;
  for (const length of lengths) {
    at = writeHeader(frames, at, FINAL | TEXT, length);
    for (let end = at + KEY; at < end; at++) frames[at] = key[at & 3]!;
    at += length;
  }
  return frames;
}

export function pingFrame(mask: number): Buffer {
  return controlFrame(PING, EMPTY, mask);
}

export function pongFrame(payload: Buffer, mask: number): Buffer {
  return controlFrame(PONG, payload, mask);
}

export function closeFrame(code: number, mask: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return controlFrame(CLOSE, payload, mask);
}

function controlFrame(opcode: number, payload: Buffer, mask: number): Buffer {
  const frame = Buffer.alloc(2 + KEY + payload.length);
  const at = writeHeader(frame, 0, FINAL | opcode, payload.length);
  frame.writeUInt32LE(mask >>> 0, at);
  for (const [index, byte] of payload.entries()) frame[at + KEY + index] = byte ^ frame[at + (index & 3)]!;
  return frame;
}

/** Writes the header before the masking key. Returns the offset after it. */
function writeHeader(frames: Buffer, at: number, first: number, length: number): number {
  frames[at] = first;
  if (length < SHORT) {
    frames[at + 1] = MASKED | length;
    return at + 2;
  }
  if (length <= 0xffff) {
    frames[at + 1] = MASKED | SHORT;
    return frames.writeUInt16BE(length, at + 2);
  }
  frames[at + 1] = MASKED | LENGTH;
  frames.writeUInt32BE(Math.floor(length / WORD), at + 2);
  return frames.writeUInt32BE(length % WORD, at + 6);
}

function headerLength(length: number): number {
  return length < SHORT ? 2 : length <= 0xffff ? 4 : LONGEST_HEADER;
}

function headerSize(second: number): number {
  const length = second & LENGTH;
  return length < SHORT ? 2 : length === SHORT ? 4 : LONGEST_HEADER;
}

function longLength(bytes: Buffer, at: number, kind: number): number {
  return kind === SHORT ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at) * WORD + bytes.readUInt32BE(at + 4);
}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const FINAL = 0x80;
const RESERVED = 0x70;
const OPCODE = 0x0f;
const MASKED = 0x80;
const LENGTH = 0x7f;
const SHORT = 126;
const KEY = 4;
const WORD = 2 ** 32;
const CONTROL_LIMIT = 125;
const LONGEST_HEADER = 10;
const EMPTY = Buffer.alloc(0);
