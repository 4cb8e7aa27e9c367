import type sharpType from 'sharp';
import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import type { ImageSize } from './image-header.js';
import type { ImageType } from './sniff-type.js';

/** Limits for images that a model is shown. */
export interface ImageLimits {
  /** In pixels. */
  readonly longestSide: number;
  /** In characters. */
  readonly base64Length: number;
  /** Images in one result; further ones are saved. */
  readonly count: number;
}

export const imageLimits: ImageLimits = { longestSide: 2_000, base64Length: 5_242_880, count: 20 };

export interface ResizedImage extends ImageSize {
  readonly bytes: Buffer;
  readonly mimeType: 'image/jpeg' | 'image/png';
  /** The original's size after rotation by its EXIF orientation. */
  readonly original: ImageSize;
}

/** Resizes images one by one, on another thread. Loads sharp with the first; sharp may not be installed. */
export class ImageResizer {
  readonly limits: ImageLimits;
  readonly #load: () => Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<ImageLimits> = {}, load: () => Promise<unknown> = loadSharp) {
    this.limits = { ...imageLimits, ...limits };
    this.#load = load;
  }

  /** `input`: an image of this type, or the path of one. Rejects with a HostError. */
  resize(input: Buffer | string, type: ImageType): Promise<ResizedImage> {
    const mine = this.#last.then(async () => {
      const sharp = (await this.#load()) as Sharp;
      try {
        return await makeSmaller(sharp, { input, type, limits: this.limits });
      } catch (cause) {
        if (cause instanceof HostError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new HostError('unsupported', `it cannot be made smaller: ${shorten(reason, 200)}`, { cause });
      }
    });
    this.#last = mine.catch(() => {}); // the caller of `resize` gets the error
    return mine;
  }
}

type Sharp = typeof sharpType;

export async function loadSharp(): Promise<unknown> {
  try {
    return (await import('sharp')).default;
  } catch (cause) {
    throw new HostError('unsupported', 'making pictures smaller needs the package sharp, which is not installed', {
      hint: 'npm install sharp',
      cause,
    });
  }
}

interface Work {
  readonly input: Buffer | string;
  readonly type: ImageType;
  readonly limits: ImageLimits;
}

async function makeSmaller(sharp: Sharp, { input, type, limits }: Work): Promise<ResizedImage> {
  const open = (): ReturnType<Sharp> =>
    sharp(input, { limitInputPixels: PIXEL_LIMIT, sequentialRead: true, failOn: 'error' }).timeout({
      seconds: SECONDS,
    });
  const { autoOrient: original, hasAlpha } = await open().metadata();
  const most = Math.floor((limits.base64Length * 3) / 4);
  const side = Math.min(limits.longestSide, Math.max(original.width, original.height));
  const resized = (pixels: number): ReturnType<Sharp> =>
    open().autoOrient().resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true });
  // JPEG would turn transparent pixels black.
  if (hasAlpha && type !== 'image/jpeg') {
    const { data, info } = await resized(side).png().toBuffer({ resolveWithObject: true });
    if (data.length <= most) return toResized(data, 'image/png', { ...info, original });
  }
  for (const [share, quality] of TRIES) {
    const { data, info } = await resized(Math.max(1, Math.round(side * share)))
      .flatten({ background: '#ffffff' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
    if (data.length <= most) return toResized(data, 'image/jpeg', { ...info, original });
  }
  throw new HostError('unsupported', `it stays larger than ${most} bytes`);
}

function toResized(
  bytes: Buffer,
  mimeType: ResizedImage['mimeType'],
  { width, height, original }: ImageSize & { readonly original: ImageSize },
): ResizedImage {
  return { bytes, mimeType, width, height, original: { width: original.width, height: original.height } };
}

/** A larger image would take hundreds of megabytes to decode, however few bytes it has. */
export const PIXEL_LIMIT = 50_000_000;
const SECONDS = 20;
/** Share of the side, and JPEG quality; the first result that fits is used. */
const TRIES = [
  [1, 85],
  [1, 60],
  [0.5, 60],
  [0.25, 50],
] as const;
