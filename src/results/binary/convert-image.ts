import type sharpType from 'sharp';
import type { IndexedPixels } from '../../model/screen-image.js';
import { loadSharp, PIXEL_LIMIT } from './image-resizer.js';
import type { ImageSize } from './image-header.js';

/** The first frame of an image as PNG; undefined where sharp is not installed or cannot decode it. Never rejects. */
export async function convertToPng(bytes: Uint8Array): Promise<(ImageSize & { readonly bytes: Buffer }) | undefined> {
  try {
    const { data, info } = await (await open(bytes)).png().toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch {
    return undefined; // the path of the saved file is shown
  }
}

/** An image as at most 255 colours, made to fit; undefined where sharp is not installed. Never rejects. */
export async function convertToPixels(bytes: Uint8Array, most: ImageSize): Promise<IndexedPixels | undefined> {
  try {
    const small = await (
      await open(bytes)
    )
      .resize({ ...most, fit: 'inside', withoutEnlargement: true })
      // sharp itself chooses the colours; its palette can only be read from the pixels.
      .png({ palette: true, colours: COLOURS, dither: 0.5 })
      .toBuffer();
    const { data, info } = await (await open(small)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return toIndexed(data, info);
  } catch {
    return undefined;
  }
}

function toIndexed(pixels: Buffer, { width, height }: ImageSize): IndexedPixels {
  const known = new Map<number, number>();
  const palette: (readonly [number, number, number])[] = [];
  const indexes = new Uint8Array(width * height);
  for (let at = 0; at < indexes.length; at++) {
    const from = at * CHANNELS;
    if (pixels[from + 3]! < OPAQUE) continue;
    const colour = pixels.readUIntBE(from, 3);
    let index = known.get(colour);
    if (index === undefined) {
      palette.push([pixels[from]!, pixels[from + 1]!, pixels[from + 2]!]);
      index = palette.length;
      known.set(colour, index);
    }
    indexes[at] = index;
  }
  return { width, height, palette, indexes };
}

async function open(bytes: Uint8Array): Promise<ReturnType<typeof sharpType>> {
  const sharp = (await loadSharp()) as typeof sharpType;
  return sharp(bytes, { limitInputPixels: PIXEL_LIMIT, failOn: 'error' }).timeout({ seconds: SECONDS }).autoOrient();
}

const COLOURS = 255;
const CHANNELS = 4;
const OPAQUE = 128;
const SECONDS = 5; // the user is waiting
