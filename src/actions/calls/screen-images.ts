import type { IndexedPixels, ScreenImage, UncheckedBlock } from '../../model/screen-image.js';

/** The images of a result that a terminal may get, checked. Never rejects. */
export async function screenImages(content: readonly UncheckedBlock[]): Promise<readonly ScreenImage[]> {
  const blocks = content.filter(({ type }) => type === 'image').slice(0, IMAGE_LIMIT);
  if (blocks.length === 0) return [];
  const { toScreenImage } = await import('../../host/calls/screen-image.js');
  const images = await Promise.all(blocks.map(toScreenImage));
  return images.filter((image) => image !== undefined);
}

/** What a terminal needs of an image besides its bytes; both need sharp. */
export interface ImageConverter {
  toPng(image: ScreenImage): Promise<ScreenImage | undefined>;
  toPixels(
    image: ScreenImage,
    most: { readonly width: number; readonly height: number },
  ): Promise<IndexedPixels | undefined>;
}

export const imageConverter: ImageConverter = {
  toPng: async (image) => (await import('../../host/calls/screen-image.js')).toPng(image),
  toPixels: async (image, most) => (await import('../../host/calls/screen-image.js')).toPixels(image, most),
};

const IMAGE_LIMIT = 4; // images of one result; more would scroll the text away
