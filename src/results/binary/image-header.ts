import type { ImageType } from './sniff-type.js';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of an image, by its header alone; undefined when the header is invalid. Written by hand, because libraries
 * for it have looped for ever on crafted headers: here every step advances, and no length is trusted beyond the bytes.
 */
export function imageSize(bytes: Buffer, type: ImageType): ImageSize | undefined {
  const size = KINDS[type].size(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/**
 * Whether an image is complete, as far as can be seen without decoding it. Every model API refuses a truncated image,
 * and with it the whole conversation.
 */
export function isWhole(bytes: Buffer, type: ImageType): boolean {
  return KINDS[type].isWhole(bytes);
}

const GIF_TRAILER = 0x3b;

// https://www.w3.org/TR/png-3/#5Chunk-layout: length, type, data, check; the last is IEND
function endsAsPng(bytes: Buffer): boolean {
  let hasData = false;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return hasData;
    hasData ||= type === 'IDAT';
  }
  return false;
}

interface Kind {
  readonly size: (bytes: Buffer) => ImageSize | undefined;
  readonly isWhole: (bytes: Buffer) => boolean;
}

const KINDS: Readonly<Record<ImageType, Kind>> = {
  'image/png': { size: ofPng, isWhole: endsAsPng },
  'image/jpeg': { size: ofJpeg, isWhole: endsAsJpeg },
  'image/gif': { size: ofGif, isWhole: (bytes) => bytes.at(-1) === GIF_TRAILER },
  'image/webp': { size: ofWebp, isWhole: (bytes) => bytes.length >= 12 && bytes.readUInt32LE(4) + 8 <= bytes.length },
};

function endsAsJpeg(bytes: Buffer): boolean {
  return bytes.lastIndexOf('ffd9', undefined, 'hex') > bytes.indexOf('ffda', 0, 'hex') + 1;
}

// https://www.w3.org/TR/png-3/#11IHDR: always the first chunk
function ofPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

// https://www.w3.org/Graphics/GIF/spec-gif89a.txt, section 18
function ofGif(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

// https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1.1 and B.2.2: segments, each with its length, up to the start of a frame
function ofJpeg(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    // Skips fill bytes, and markers without a length.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xd9 || marker === 0xda) return undefined; // image data begins without a size
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    if (isFrame(marker)) {
      if (at + 9 > bytes.length) return undefined;
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + length;
  }
  return undefined;
}

/** SOF0 to SOF15, except the table markers among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

// https://www.rfc-editor.org/rfc/rfc9649#section-2
function ofWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ': {
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    }
    default:
      return undefined;
  }
}
