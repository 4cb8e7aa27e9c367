import type { ScreenImage } from '../../../model/screen-image.js';
import type { Size } from '../footer.js';

/** The cells that an image takes. */
export interface ImageCells extends Size {
  /** Even one column would be too tall: the proportions are not kept. */
  readonly isSquashed: boolean;
}

/** Fits an image into a room, its proportions kept; small images are not enlarged. */
export function imageCells({ width, height }: Pick<ScreenImage, 'width' | 'height'>, room: Size): ImageCells {
  const most = Math.max(1, Math.min(MOST_COLUMNS, room.columns - 1));
  const tall = Math.max(1, Math.min(MOST_ROWS, room.rows));
  const asTall = Math.floor((tall * CELL.height * width) / height / CELL.width);
  const columns = Math.max(1, Math.min(most, Math.ceil(width / CELL.width), asTall));
  const rows = Math.max(1, Math.ceil((columns * CELL.width * height) / width / CELL.height));
  return { columns, rows: Math.min(tall, rows), isSquashed: rows > tall };
}

/** Pixels of a cell, as most fonts have it: not every terminal tells. */
export const CELL = { width: 8, height: 16 } as const;
const MOST_COLUMNS = 40;
const MOST_ROWS = 20; // the text of the result stays on the screen
