import { isUtf8 } from 'node:buffer';

/** The type of a file, detected by its first bytes; the server's claim does not count. */
export interface SniffedType {
  readonly mimeType: string;
  /** For file names of ours; never one that a desktop would execute. */
  readonly extension: string;
}

/** `isWhole`: `bytes` is the whole file, not only its beginning. */
export function sniffType(bytes: Buffer, isWhole = true): SniffedType {
  const found = SIGNATURES.find(([signature, at]) => bytes.subarray(at, at + signature.length).equals(signature));
  if (found) return found[2](bytes);
  if (bytes[0] === 0xff && (bytes[1]! & 0xe6) === 0xe2) return type('audio/mpeg', 'mp3');
  return isText(bytes, isWhole) ? TEXT : UNKNOWN;
}

/** Image types that models can be shown. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export function isImageType(mimeType: string): mimeType is ImageType {
  return SHOWN.has(mimeType);
}

const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function type(mimeType: string, extension: string): SniffedType {
  return { mimeType, extension };
}

// HTML and SVG can carry scripts, so any text is saved as .txt.
const TEXT = type('text/plain', 'txt');
const UNKNOWN = type('application/octet-stream', 'bin');

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const is = (mimeType: string, extension: string) => (): SniffedType => type(mimeType, extension);

const SIGNATURES: readonly (readonly [signature: Buffer, at: number, of: (bytes: Buffer) => SniffedType])[] = [
  [hex('89504e470d0a1a0a'), 0, is('image/png', 'png')],
  [hex('ffd8ff'), 0, is('image/jpeg', 'jpg')],
  [Buffer.from('GIF87a'), 0, is('image/gif', 'gif')],
  [Buffer.from('GIF89a'), 0, is('image/gif', 'gif')],
  [Buffer.from('RIFF'), 0, ofRiff],
  [Buffer.from('ftyp'), 4, ofBrand],
  [Buffer.from('%PDF-'), 0, is('application/pdf', 'pdf')],
  [hex('504b0304'), 0, is('application/zip', 'zip')],
  [hex('1f8b08'), 0, is('application/gzip', 'gz')],
  [Buffer.from('ID3'), 0, is('audio/mpeg', 'mp3')],
  [Buffer.from('OggS'), 0, is('audio/ogg', 'ogg')],
  [Buffer.from('fLaC'), 0, is('audio/flac', 'flac')],
  [hex('1a45dfa3'), 0, is('video/webm', 'webm')],
  [Buffer.from('II*\0', 'latin1'), 0, is('image/tiff', 'tiff')],
  [Buffer.from('MM\0*', 'latin1'), 0, is('image/tiff', 'tiff')],
  [Buffer.from('SQLite format 3\0', 'latin1'), 0, is('application/vnd.sqlite3', 'sqlite')],
];

function ofRiff(bytes: Buffer): SniffedType {
  return RIFF.get(bytes.toString('latin1', 8, 12)) ?? UNKNOWN;
}

const RIFF: ReadonlyMap<string, SniffedType> = new Map([
  ['WAVE', type('audio/wav', 'wav')],
  ['WEBP', type('image/webp', 'webp')],
  ['AVI ', type('video/x-msvideo', 'avi')],
]);

function ofBrand(bytes: Buffer): SniffedType {
  const brand = bytes.toString('latin1', 8, 12);
  if (brand === 'avif' || brand === 'avis') return type('image/avif', 'avif');
  if (/^(?:hei|mif1|msf1)/u.test(brand)) return type('image/heic', 'heic');
  return brand.startsWith('M4A') ? type('audio/mp4', 'm4a') : type('video/mp4', 'mp4');
}

function isText(bytes: Buffer, isWhole: boolean): boolean {
  if (bytes.includes(0)) return false;
  // A beginning may end inside a character.
  return isWhole ? isUtf8(bytes) : [0, 1, 2, 3].some((left) => isUtf8(bytes.subarray(0, bytes.length - left)));
}
