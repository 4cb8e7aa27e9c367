// https://iterm2.com/documentation-images.html
import type { ImageCells } from './image-size.js';

export interface ItermOptions {
  readonly cells: ImageCells;
  /** The cursor stays where it is; otherwise it moves to the end of the image. */
  readonly isStill?: boolean;
}

/** The sequence that draws an image file at the cursor. */
export function itermImage(file: Uint8Array, { cells, isStill = false }: ItermOptions): string {
  const still = isStill ? ';doNotMoveCursor=1' : '';
  const height = cells.isSquashed ? `;height=${cells.rows}` : '';
  const keys = `inline=1;size=${file.length};width=${cells.columns}${height};preserveAspectRatio=1${still}`;
  return `\u001B]1337;File=${keys}:${Buffer.from(file).toString('base64')}\u0007`;
}
