// https://vt100.net/docs/vt3xx-gp/chapter14.html
import type { IndexedPixels } from '../../../model/screen-image.js';

/** The sequence that draws these pixels at the cursor. Transparent pixels keep the background. */
export function sixelImage({ width, height, palette, indexes }: IndexedPixels): string {
  const colours = palette.map(
    ([red, green, blue], at) => `#${at + 1};2;${percent(red)};${percent(green)};${percent(blue)}`,
  );
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) {
    bands.push(bandOf(indexes, { top, width, rows: Math.min(BAND, height - top) }));
  }
  return `\u001BP0;1;0q"1;1;${width};${height}${colours.join('')}${bands.join('-')}\u001B\\`;
}

/** Six rows: for each colour in them, one character per column whose bits are the rows of that colour. */
function bandOf(
  indexes: Uint8Array,
  { top, width, rows }: { readonly top: number; readonly width: number; readonly rows: number },
): string {
  const lines = new Map<number, Uint8Array>();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const index = indexes[(top + row) * width + column]!;
      if (index === 0) continue;
      let line = lines.get(index);
      if (!line) lines.set(index, (line = new Uint8Array(width)));
      line[column]! |= 1 << row;
    }
  }
  return [...lines].map(([index, line]) => `#${index}${runsOf(line)}`).join('$');
}

function runsOf(line: Uint8Array): string {
  let text = '';
  for (let at = 0; at < line.length;) {
    let end = at + 1;
    while (end < line.length && line[end] === line[at]) end++;
    const character = String.fromCharCode(FIRST + line[at]!);
    const count = end - at;
    text += count > SHORT ? `!${count}${character}` : character.repeat(count);
    at = end;
  }
  return text;
}

function percent(level: number): number {
  return Math.round((level * 100) / 255);
}

const BAND = 6;
const FIRST = 63; // `?`: no bit set
const SHORT = 3; // shorter runs are not worth a repeat mark
