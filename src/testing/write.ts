import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a server writes: a text as UTF-8, or bytes. */
export type Bytes = string | Uint8Array;

/**
 * Writes bytes and waits for a slow reader, so that a flood fills no memory here. Resolves with false when the reader
 * is gone and the flood can stop.
 */
export async function writeBytes(stream: Writable, bytes: Bytes): Promise<boolean> {
  if (stream.destroyed || stream.writableEnded) return false;
  if (!stream.write(bytes)) await drained(stream);
  // A pipe that accepts everything at once would keep the event loop busy: this pause lets the end be noticed.
  else if (bytes.length > BLOCK / 2) await new Promise(setImmediate);
  return !stream.destroyed;
}

/** Resolves when the stream accepts more, or is closed, or has failed. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of ENDINGS) stream.off(event, settle);
      resolve();
    };
    for (const event of ENDINGS) stream.on(event, settle);
  });
}

const ENDINGS = ['drain', 'close', 'error'] as const;

/** Sends `unit` again and again, up to `bytes`: a large answer that is never whole in memory. */
export async function pour(send: (bytes: Bytes) => Promise<boolean>, unit: Bytes, bytes: number): Promise<boolean> {
  const one = Buffer.from(unit);
  const block = Buffer.concat(Array.from({ length: Math.ceil(BLOCK / one.length) }, () => one));
  let left = bytes;
  while (left >= block.length) {
    if (!(await send(block))) return false;
    left -= block.length;
  }
  // Cut at a whole unit: half a value would be a different attack.
  const rest = left - (left % one.length);
  // An empty chunk would end a chunked body.
  return rest === 0 || send(block.subarray(0, rest));
}

/** Sends one byte per turn of the event loop, or every `pauseMs`. Resolves with false when the host is gone. */
export async function dribble(
  send: (bytes: Bytes) => Promise<boolean>,
  bytes: Bytes,
  pauseMs?: number,
): Promise<boolean> {
  for (const byte of Buffer.from(bytes)) {
    if (!(await send(Uint8Array.of(byte)))) return false;
    await (pauseMs === undefined ? new Promise(setImmediate) : sleep(pauseMs));
  }
  return true;
}

const BLOCK = 65_536;
export const MB = 1_048_576;
