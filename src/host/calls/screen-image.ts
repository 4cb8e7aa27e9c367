import type { IndexedPixels, ScreenImage, UncheckedBlock } from '../../model/screen-image.js';
import { decodeInTurns } from '../../results/binary/base64.js';
import { imageSize, isWhole } from '../../results/binary/image-header.js';
import { convertToPixels, convertToPng } from '../../results/binary/convert-image.js';
import { isImageType, sniffType } from '../../results/binary/sniff-type.js';

/**
 * The image of a content block, if a terminal may get it: the type and the size are those of its header, whatever the
 * server calls it. Undefined for anything else. Never rejects.
 */
export async function toScreenImage({ type, data }: UncheckedBlock): Promise<ScreenImage | undefined> {
  if (type !== 'image' || typeof data !== 'string' || data.length > ENCODED_LIMIT) return undefined;
  const bytes = await decodeInTurns(data);
  if (!bytes || bytes.length > BYTE_LIMIT) return undefined;
  const { mimeType } = sniffType(bytes);
  const size = isImageType(mimeType) ? imageSize(bytes, mimeType) : undefined;
  if (!size || !isImageType(mimeType) || !isWhole(bytes, mimeType)) return undefined;
  if (Math.max(size.width, size.height) > SIDE_LIMIT) return undefined;
  return { bytes, type: mimeType, ...size };
}

/** The image as PNG; undefined where sharp is not installed or cannot decode it. */
export async function toPng(image: ScreenImage): Promise<ScreenImage | undefined> {
  if (image.type === 'image/png') return image;
  const png = await convertToPng(image.bytes);
  return png && { ...png, type: 'image/png' };
}

/** The pixels of the image, made to fit; undefined where sharp is not installed or cannot decode it. */
export function toPixels(
  image: ScreenImage,
  most: { readonly width: number; readonly height: number },
): Promise<IndexedPixels | undefined> {
  return convertToPixels(image.bytes, most);
}

const BYTE_LIMIT = 5_000_000; // a terminal decodes it while the user waits
const ENCODED_LIMIT = 8_000_000; // characters: base64 of BYTE_LIMIT, with room for line breaks
const SIDE_LIMIT = 4096; // pixels; terminals refuse larger images, or take hundreds of megabytes for them
