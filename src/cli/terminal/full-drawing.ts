import type { Size } from './footer.js';
import { KITTY_CLEAR } from './images/kitty-image.js';
import type { Picture } from './screen.js';
import { cutToColumns } from './text/text-width.js';

/** Computes what to write so that these rows fill the screen; only rows that differ are written. */
export class FullDrawing {
  #rows: readonly string[] = [];
  #size: Size | undefined;
  #picture: Picture | undefined;

  draw(wanted: readonly string[], size: Size, picture?: Picture): string {
    const isOther = picture !== this.#picture;
    // Text does not remove an image: everything is drawn again.
    const removed = isOther && this.#picture?.drawing.includes(KITTY) === true ? KITTY_CLEAR : '';
    const isNew = isOther || this.#size?.columns !== size.columns || this.#size.rows !== size.rows;
    this.#picture = picture;
    const before = isNew ? [] : this.#rows;
    const rows = wanted.slice(0, size.rows).map((row) => cutToColumns(row, size.columns));
    this.#rows = rows;
    this.#size = size;
    const changed: string[] = [];
    for (let at = 0; at < Math.max(rows.length, before.length); at++) {
      const row = rows[at] ?? '';
      // Erased first: at the end of a full row some terminals would erase its last letter.
      if (row !== (before[at] ?? '')) changed.push(`\u001B[${at + 1};1H\u001B[K${row}`);
    }
    if (changed.length === 0 && !isNew) return '';
    const cleared = isNew ? `${removed}\u001B[H\u001B[2J` : '';
    const image = isNew && picture ? `\u001B[${picture.row + 1};1H${picture.drawing}` : '';
    return `\u001B[?2026h\u001B[?7l${cleared}${changed.join('')}\u001B[?7h${image}\u001B[?2026l`;
  }

  /** What to write before the screen is left. */
  end(): string {
    return this.#picture?.drawing.includes(KITTY) === true ? KITTY_CLEAR : '';
  }

  /** Call after something else has drawn on the screen. */
  forget(): void {
    this.#size = undefined;
  }
}

const KITTY = '\u001B_G';
/** The alternate screen, with the cursor hidden. */
export const OPEN_FULL = '\u001B[?1049h\u001B[?25l';
export const CLOSE_FULL = '\u001B[?1049l\u001B[?25h';
