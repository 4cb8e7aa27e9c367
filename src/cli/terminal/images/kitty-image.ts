// https://sw.kovidgoyal.net/kitty/graphics-protocol/
import type { ImageCells } from './image-size.js';

export interface KittyOptions {
  readonly cells: ImageCells;
  /** The cursor stays where it is; otherwise it moves to the end of the image. */
  readonly isStill?: boolean;
}

/** The sequences that draw a PNG at the cursor, each small enough for the protocol. */
export function kittyImage(png: Uint8Array, { cells, isStill = false }: KittyOptions): string[] {
  const data = Buffer.from(png).toString('base64');
  const rows = cells.isSquashed ? `,r=${cells.rows}` : '';
  const keys = `a=T,f=100,q=2,c=${cells.columns}${rows}${isStill ? ',C=1' : ''},`;
  const pieces: string[] = [];
  for (let at = 0; at < data.length; at += PIECE) {
    const more = at + PIECE < data.length ? 1 : 0;
    pieces.push(`\u001B_G${at === 0 ? keys : ''}m=${more};${data.slice(at, at + PIECE)}\u001B\\`);
  }
  return pieces;
}

/** Removes the images on the screen. */
export const KITTY_CLEAR = '\u001B_Ga=d,q=2\u001B\\';
const PIECE = 4096; // bytes of base64, the most that the protocol allows; a multiple of four
