import type { ScreenImage } from '../../../model/screen-image.js';
import type { Screen } from '../screen.js';

/** Prints images below what was printed so far, where the terminal draws any; elsewhere nothing. */
export function printImages(
  screen: Pick<Screen, 'columns' | 'rows' | 'images' | 'printLater'>,
  images: readonly ScreenImage[] | Promise<readonly ScreenImage[]>,
): void {
  if (Array.isArray(images) && images.length === 0) return;
  const { columns, rows } = screen;
  const room = { columns, rows: Math.max(1, rows - ROWS_LEFT) };
  const draw = async (): Promise<string | undefined> => {
    const drawn = await Promise.all((await images).map((image) => screen.images.encode(image, room)));
    const shown = drawn.filter((one) => one !== undefined);
    return shown.length === 0 ? undefined : shown.join('\n');
  };
  screen.printLater(draw());
}

const ROWS_LEFT = 6; // for the foot and the text above
