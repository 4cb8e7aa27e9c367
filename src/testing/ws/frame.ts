// WebSocket frames as a server writes them, right or wrong: https://www.rfc-editor.org/rfc/rfc6455#section-5.2
import type { Bytes } from '../write.js';

/** How a WebSocket frame is written. */
export interface FrameOptions {
  /** Text by default. */
  readonly opcode?: number;
  /** More frames of the message follow. */
  readonly isOpen?: boolean;
  /** The bits RSV1 to RSV3, which only extensions use, as a number from 0 to 7. */
  readonly reserved?: number;
  /** Masks the payload, as only a client may. */
  readonly isMasked?: boolean;
  /** The length that the frame claims, instead of the real one. */
  readonly length?: bigint;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function toFrame(payload: Bytes, options: FrameOptions = {}): Buffer {
  const bytes = Buffer.from(payload);
  const head = toFrameHead(options.length ?? BigInt(bytes.length), options);
  if (options.isMasked !== true) return Buffer.concat([head, bytes]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, bytes.map((byte, index) => byte ^ key[index & 3]!)]);
}

/** The head of a frame, whether its payload follows or not. */
export function toFrameHead(length: bigint, options: FrameOptions = {}): Buffer {
  const { opcode = OPCODE.text, isOpen = false, reserved = 0, isMasked = false } = options;
  const first = (isOpen ? 0 : 0x80) | (reserved << 4) | opcode;
  const mask = isMasked ? 0x80 : 0;
  if (length < 126n) return Buffer.from([first, mask | Number(length)]);
  const head = Buffer.alloc(length < 65_536n ? 4 : 10);
  head[0] = first;
  head[1] = mask | (head.length === 4 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(Number(length), 2);
  else head.writeBigUInt64BE(length, 2);
  return head;
}

export function closePayload(code: number, reason: Bytes = ''): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
}
