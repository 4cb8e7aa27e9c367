import { OPCODE } from './frame.js';

const MESSAGE_LIMIT = 64 * 1_048_576; // bytes; more than any call of a test has
const EMPTY = Buffer.alloc(0);

/** Receives what a host sends over a WebSocket. */
export interface ClientFrameSink {
  readonly message: (text: string) => void;
  readonly control: (opcode: number, payload: Buffer) => void;
  /** The host has broken a rule for clients. */
  readonly fault: (what: string) => void;
}

/** Reads the frames of one host. Chunks are joined only when the next frame, or its head, is complete. */
export class ClientFrames {
  readonly #sink: ClientFrameSink;
  #bytes: Buffer = EMPTY;
  #missing = 0;
  #chunks: Buffer[] = [];
  #parts: Buffer[] = [];

  constructor(sink: ClientFrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks]);
    this.#chunks = [];
    while (this.#readFrame());
  }

  #readFrame(): boolean {
    const bytes = this.#bytes;
    if (bytes.length < 2) return this.#wait(2);
    const short = bytes[1]! & 0x7f;
    const headSize = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + 4;
    if (bytes.length < headSize) return this.#wait(headSize);
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < headSize + length) return this.#wait(headSize + length);
    if ((bytes[1]! & 0x80) === 0) this.#sink.fault('unmasked');
    if (length > MESSAGE_LIMIT) this.#sink.fault('huge');
    const key = bytes.subarray(headSize - 4, headSize);
    const payload = bytes.subarray(headSize, headSize + length).map((byte, index) => byte ^ key[index & 3]!);
    this.#bytes = bytes.subarray(headSize + length);
    this.#take(bytes[0]!, Buffer.from(payload));
    return true;
  }

  #wait(size: number): false {
    this.#missing = size - this.#bytes.length;
    return false;
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f;
    if (opcode >= OPCODE.close) {
      this.#sink.control(opcode, payload);
      return;
    }
    this.#parts.push(payload);
    if ((first & 0x80) === 0) return;
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#sink.message(text);
  }
}
