import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

export type Bytes = string | Uint8Array;

/**
 * Hands bytes over and waits while the other side is slow, so that a flood costs the one who sends it nothing. False: the
 * other side is gone and nothing more has to be made.
 */
export async function writeBytes(stream: Writable, bytes: Bytes): Promise<boolean> {
  if (stream.destroyed || stream.writableEnded) return false;
  if (!stream.write(bytes)) await drained(stream);
  // Whoever pours has to look up now and then: a pipe that takes everything at once would never let it hear of the end.
  else if (bytes.length > BLOCK / 2) await new Promise(setImmediate);
  return !stream.destroyed;
}

/** Resolves when more can be sent, or when nothing ever can. */
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

/** The same bytes again and again, until that many have been sent: a large answer that never lies in memory whole. */
export async function pour(send: (bytes: Bytes) => Promise<boolean>, unit: Bytes, bytes: number): Promise<boolean> {
  const one = Buffer.from(unit);
  const block = Buffer.concat(Array.from({ length: Math.ceil(BLOCK / one.length) }, () => one));
  let left = bytes;
  while (left >= block.length) {
    if (!(await send(block))) return false;
    left -= block.length;
  }
  // Cut at a whole unit: half a value would be another attack than the one that was asked for.
  const rest = left - (left % one.length);
  // A chunk of nothing would end a body.
  return rest === 0 || send(block.subarray(0, rest));
}

/** A byte at a time: each in a turn of its own, or so many milliseconds after the one before. False: the host is gone. */
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
