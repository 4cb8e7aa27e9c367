import { readFile } from 'node:fs/promises';
import { HostError } from '../../base/errors.js';
import { Spilled } from '../../model/spilled.js';
import { decodeInTurns, decodeSpilled, isStandardBase64 } from './base64.js';
import { imageSize, isWhole } from './image-header.js';
import { PIXEL_LIMIT } from './image-resizer.js';
import type { ResultStore } from '../result-store.js';
import { linePart, type Part, type Shaping, shortTextOf } from '../shaping.js';
import { isImageType, type SniffedType, sniffType } from './sniff-type.js';

/** A block of base64 data. */
export interface Binary {
  /** How notices name the block, for instance `Image from weather`. */
  readonly label: string;
  readonly data: unknown;
  /** The MIME type that the server claims. */
  readonly claimed: unknown;
}

/** Shows what a model can see, and saves the rest to files. Decides by content, not by MIME type. Never rejects. */
export async function binaryParts(binary: Binary, shaping: Shaping): Promise<readonly Part[]> {
  const { data, label } = binary;
  let found: Found | undefined;
  try {
    found = data instanceof Spilled ? await foundInFile(data, shaping) : await foundInMemory(data);
  } catch (error) {
    return [linePart(`[${label}] Binary content could not be read: ${shortErrorText(error)}`)];
  }
  if (!found) {
    shaping.notes.push(`${label}: its data is no base64`);
    return [linePart(`[${label}] Its data is not valid base64, so there is nothing to show`)];
  }
  return isImageType(found.mimeType) ? showImage(binary, found, shaping) : save(binary, found, shaping);
}

/** Decoded data, with its detected type. */
interface Found extends SniffedType {
  readonly bytes: number;
  /** All bytes, or enough of them for a header. */
  readonly first: Buffer;
  /** The data as standard base64. */
  readonly encoded: () => Promise<string>;
  readonly input: Buffer | string;
  /** The path, if the data is in a file already. */
  readonly path: string | undefined;
}

async function foundInMemory(data: unknown): Promise<Found | undefined> {
  const bytes = typeof data === 'string' ? await decodeInTurns(data) : undefined;
  if (!bytes) return undefined;
  return {
    ...sniffType(bytes),
    bytes: bytes.length,
    first: bytes,
    input: bytes,
    path: undefined,
    encoded: async () => (isStandardBase64(data as string) ? (data as string) : bytes.toString('base64')),
  };
}

async function foundInFile(spilled: Spilled, { options, saved }: Shaping): Promise<Found | undefined> {
  const decoded = await decodeSpilled(spilled, storeOf(options.store));
  if (!decoded) return undefined;
  const { path, bytes, mimeType } = decoded;
  saved.push({ path, bytes, mimeType });
  return { ...decoded, input: path, encoded: () => readFile(path, 'base64') };
}

async function showImage(binary: Binary, found: Found, shaping: Shaping): Promise<readonly Part[]> {
  const { options } = shaping;
  const { limits } = options.images;
  const { mimeType, bytes, input } = found;
  if (!isImageType(mimeType)) return save(binary, found, shaping);
  const size = imageSize(found.first, mimeType);
  const refuse = (reason: string): Promise<readonly Part[]> => save(binary, found, shaping, reason);
  if (!size) return refuse('its header is damaged');
  const { width, height } = size;
  if (width * height > PIXEL_LIMIT) return refuse(`${width}x${height} is more than ${PIXEL_LIMIT / 1e6} megapixels`);
  if (bytes > BYTE_LIMIT) return refuse(`it has more than ${BYTE_LIMIT / 1_048_576} MB`);
  if (shaping.images >= limits.count) return refuse(`only ${limits.count} pictures of one result are shown`);
  const isSmall = Math.max(width, height) <= limits.longestSide && Math.ceil(bytes / 3) * 4 <= limits.base64Length;
  try {
    options.signal?.throwIfAborted();
    shaping.images++;
    if (isSmall && isWhole(found.first, mimeType)) return [{ kind: 'image', data: await found.encoded(), mimeType }];
    const resized = await options.images.resize(input, mimeType);
    const { original } = resized;
    const factor = (Math.max(original.width, original.height) / Math.max(resized.width, resized.height)).toFixed(2);
    const place = await placeOf(found, shaping).catch((error: unknown) => error);
    const kept = typeof place === 'string' ? `saved to ${place}` : `not saved: ${shortErrorText(place)}`;
    const told =
      `[Image: ${original.width}x${original.height} shown at ${resized.width}x${resized.height}, ` +
      `multiply coordinates by ${factor}; the original is ${kept}]`;
    return [linePart(told), { kind: 'image', data: resized.bytes.toString('base64'), mimeType: resized.mimeType }];
  } catch (error) {
    shaping.images--;
    const hint = error instanceof HostError && error.hint !== undefined ? ` (${error.hint})` : '';
    return refuse(`${width}x${height}, ${shortErrorText(error)}${hint}`);
  }
}

/** The path of the data; saves it on the first call. */
async function placeOf(found: Found, { options, saved }: Shaping): Promise<string> {
  if (found.path !== undefined) return found.path;
  options.signal?.throwIfAborted();
  const { bytes, mimeType, extension, first } = found;
  const file = storeOf(options.store).open(extension);
  for (let at = 0; at < first.length; at += CHUNK) await file.write(first.subarray(at, at + CHUNK));
  const path = await file.end();
  saved.push({ path, bytes, mimeType });
  return path;
}

/** `reason`: why an image is not shown. */
async function save(
  { label, claimed }: Binary,
  found: Found,
  shaping: Shaping,
  reason?: string,
): Promise<readonly Part[]> {
  const { mimeType, bytes } = found;
  const said = shortTextOf(claimed, 100);
  const lie = said === undefined || isSameKind(said, mimeType) ? '' : `, said to be ${said}`;
  const what = `[${label}] Binary content (${mimeType}, ${bytes} bytes${lie})`;
  const why = reason === undefined ? '' : ` and cannot be shown: ${reason}`;
  try {
    return [linePart(`${what} saved to ${await placeOf(found, shaping)}${why}`)];
  } catch (error) {
    shaping.notes.push(`${label}: its content could not be saved: ${whyUnsaved(error)}`);
    return [linePart(`${what} could not be saved: ${shortErrorText(error)}${why}`)];
  }
}

/** `audio/x-wav` and `audio/wav; codecs=1` count as the same type; no claim matches an undetected type. */
function isSameKind(said: string, real: string): boolean {
  if (real === 'application/octet-stream') return false;
  const plain = said.toLowerCase().split(';')[0]!.trim().replace('/x-', '/');
  if (real === 'text/plain') return /^text\/|json|xml|yaml|javascript/u.test(plain) && !plain.startsWith('image/');
  return plain.split('/')[0] === real.split('/')[0];
}

function storeOf(store: ResultStore | undefined): ResultStore {
  if (store) return store;
  throw new HostError('write-failed', 'there is no folder for results', { hint: 'Set HOME or XDG_STATE_HOME' });
}

/** For the user, who can do what the hint says; the model cannot. */
export function whyUnsaved(error: unknown): string {
  const hint = error instanceof HostError ? error.hint : undefined;
  return hint === undefined ? shortErrorText(error) : `${shortErrorText(error)} (${hint})`;
}

export function shortErrorText(error: unknown): string {
  return shortTextOf(error instanceof Error ? error.message : String(error), 300)!;
}

const BYTE_LIMIT = 33_554_432; // ten times what any model accepts
const CHUNK = 262_144;
