import type sharpType from 'sharp';
import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import type { ImageSize } from './image-header.js';
import type { ImageType } from './sniff-type.js';

/** What a model takes. */
export interface ImageLimits {
  /** Pixels of the longer side. */
  readonly longestSide: number;
  /** Characters of base64. */
  readonly base64Length: number;
  /** Pictures in one result; the others are saved. */
  readonly count: number;
}

export const imageLimits: ImageLimits = { longestSide: 2_000, base64Length: 5_242_880, count: 20 };

export interface ResizedImage extends ImageSize {
  readonly bytes: Buffer;
  readonly mimeType: 'image/jpeg' | 'image/png';
  /** The size of the original as it is looked at: a camera may have lain on its side. */
  readonly original: ImageSize;
}

/** Makes pictures smaller, one after the other, on another thread. sharp is loaded by the first, and may not be there. */
export class ImageResizer {
  readonly limits: ImageLimits;
  readonly #load: () => Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<ImageLimits> = {}, load: () => Promise<unknown> = loadSharp) {
    this.limits = { ...imageLimits, ...limits };
    this.#load = load;
  }

  /** `input` is a picture of that type, or the file that has it. Rejects with a HostError when it cannot be done. */
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
    this.#last = mine.catch(() => {}); // told to whoever asked for it
    return mine;
  }
}

type Sharp = typeof sharpType;

async function loadSharp(): Promise<unknown> {
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
  // What is seen through it would turn black in a JPEG.
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

/** A picture that claims more would take hundreds of megabytes to unpack, however small it is. */
export const PIXEL_LIMIT = 50_000_000;
const SECONDS = 20;
/** Of the side, and the quality of the JPEG: the first that fits. */
const TRIES = [
  [1, 85],
  [1, 60],
  [0.5, 60],
  [0.25, 50],
] as const;
