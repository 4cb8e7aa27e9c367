// https://www.rfc-editor.org/rfc/rfc4648#section-4, and the alphabet of section 5
import { open, unlink } from 'node:fs/promises';
import type { Spilled, SpillPart } from '../../model/spilled.js';
import { TimeSlice } from '../../edge/time-slice.js';
import type { ResultStore } from '../result-store.js';
import { type SniffedType, sniffType } from './sniff-type.js';

/** The bytes; undefined when it is no base64. Line ends in it are forgiven, as is the alphabet of URLs. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = new Decoder().take(text, true);
  return bytes?.length === 0 ? undefined : bytes;
}

/** The same for a text that may be long: what has a blank after each letter would hold everybody up. */
export async function decodeInTurns(text: string): Promise<Buffer | undefined> {
  const decoder = new Decoder();
  const turns = new TimeSlice();
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += CHUNK) {
    const part = decoder.take(text.slice(at, at + CHUNK), at + CHUNK >= text.length);
    if (!part) return undefined;
    parts.push(part);
    await turns.pause();
  }
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return bytes.length === 0 ? undefined : bytes;
}

/** Whether it can be handed on as it is. */
export function isStandardBase64(text: string): boolean {
  return text.length % 4 === 0 && !/[-_\s]/u.test(text);
}

/** Takes base64 in pieces. */
class Decoder {
  #rest = '';
  #isPadded = false;

  /** What this piece adds; undefined when it is no base64. */
  take(piece: string, isLast: boolean): Buffer | undefined {
    const text = this.#rest + (/\s/u.test(piece) ? piece.replaceAll(/\s+/gu, '') : piece);
    const whole = isLast ? text.length : text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    if (whole === 0) return EMPTY;
    if (this.#isPadded) return undefined; // padding ends it
    const digits = whole === text.length ? text : text.slice(0, whole);
    const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0;
    this.#isPadded = padding > 0;
    const length = digits.length - padding;
    const bytes = Buffer.from(digits, 'base64');
    // Node skips what it does not know: then there are fewer bytes than the length promises.
    return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? bytes : undefined;
  }
}

const EMPTY = Buffer.alloc(0);

export interface DecodedFile extends SniffedType {
  readonly path: string;
  readonly bytes: number;
  /** Where a picture has its header. */
  readonly first: Buffer;
}

/**
 * The same for base64 that is in a file already: the bytes go to another one, in constant memory, and the first is removed.
 * Undefined when it is no base64; rejects when the disk fails.
 */
export async function decodeSpilled({ place }: Spilled, store: ResultStore): Promise<DecodedFile | undefined> {
  const source = await open(place, 'r');
  let target: SpillPart | undefined;
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    const decoder = new Decoder();
    let first: Buffer | undefined;
    let sniffed: SniffedType | undefined;
    let written = 0;
    for (let isLast = false; !isLast;) {
      const { bytesRead } = await source.read(buffer, 0, CHUNK);
      isLast = bytesRead === 0;
      const bytes = decoder.take(buffer.toString('latin1', 0, bytesRead), isLast);
      if (!bytes) {
        await target?.discard();
        return undefined;
      }
      if (bytes.length === 0) continue;
      first ??= Buffer.from(bytes.subarray(0, HEADER));
      sniffed ??= sniffType(first, false);
      target ??= store.open(sniffed.extension);
      written += bytes.length;
      await target.write(bytes);
    }
    if (!target || !sniffed || !first) return undefined;
    const path = await target.end();
    await unlink(place).catch(() => {}); // tidied up later
    return { ...sniffed, path, bytes: written, first };
  } catch (error) {
    await target?.discard();
    throw error;
  } finally {
    await source.close();
  }
}

const CHUNK = 262_144; // characters, a multiple of four
const HEADER = 131_072; // pictures of a camera carry a small one of themselves before the header
