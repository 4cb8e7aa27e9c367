// https://www.rfc-editor.org/rfc/rfc4648#section-4, and the alphabet of section 5
import { open, unlink } from 'node:fs/promises';
import type { Spilled, SpillPart } from '../../model/spilled.js';
import { TimeSlice } from '../../edge/time-slice.js';
import type { ResultStore } from '../result-store.js';
import { type SniffedType, sniffType } from './sniff-type.js';

/** The decoded bytes; undefined when the text is not base64. Accepts white space, and the URL alphabet. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = new Decoder().take(text, true);
  return bytes?.length === 0 ? undefined : bytes;
}

/** As `decodeBase64`, in time slices: a long text with a space after each character would block the event loop. */
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

/** Whether the text can be passed on unchanged: standard alphabet, padded, no white space. */
export function isStandardBase64(text: string): boolean {
  return text.length % 4 === 0 && !/[-_\s]/u.test(text);
}

/** Decodes base64 in chunks. */
class Decoder {
  #rest = '';
  #isPadded = false;

  /** The bytes that this chunk adds; undefined when the text is not base64. */
  take(piece: string, isLast: boolean): Buffer | undefined {
    const text = this.#rest + (/\s/u.test(piece) ? piece.replaceAll(/\s+/gu, '') : piece);
    const whole = isLast ? text.length : text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    if (whole === 0) return EMPTY;
    if (this.#isPadded) return undefined; // nothing may follow the padding
    const digits = whole === text.length ? text : text.slice(0, whole);
    const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0;
    this.#isPadded = padding > 0;
    const length = digits.length - padding;
    const bytes = Buffer.from(digits, 'base64');
    // Node skips invalid characters: then there are fewer bytes than the length implies.
    return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? bytes : undefined;
  }
}

const EMPTY = Buffer.alloc(0);

export interface DecodedFile extends SniffedType {
  readonly path: string;
  readonly bytes: number;
  /** The first bytes, which include an image's header. */
  readonly first: Buffer;
}

/**
 * Decodes base64 from a file to another file, in constant memory, and deletes the first. Undefined when the content is
 * not base64; rejects when the disk fails.
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
    await unlink(place).catch(() => {}); // deleted later by deleteOldResults
    return { ...sniffed, path, bytes: written, first };
  } catch (error) {
    await target?.discard();
    throw error;
  } finally {
    await source.close();
  }
}

const CHUNK = 262_144; // characters, a multiple of four
const HEADER = 131_072; // camera images have a thumbnail before the header
