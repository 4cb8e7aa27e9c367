/** What a terminal would draw, from the bytes that a program has written to it. */

const E = '\u001B';

/** The file in a kitty graphics command that draws; checks the size of its pieces. */
export function kittyDrawn(written: string): Buffer | undefined {
  const pieces = [...written.matchAll(new RegExp(`${E}_G([^;${E}]*);([A-Za-z0-9+/=]*)${E}\\\\`, 'gu'))].filter(
    ([, keys = '']) => !keys.includes('a=q'),
  );
  const [first] = pieces;
  if (!first) return undefined;
  if (!first[1]!.startsWith('a=T,f=100,q=2,')) throw new Error(`odd keys: ${first[1]}`);
  for (const [at, [, keys = '', data = '']] of pieces.entries()) {
    const isLast = at === pieces.length - 1;
    if (data.length > 4096 || !keys.endsWith(`m=${isLast ? 0 : 1}`)) throw new Error(`odd piece: ${keys}`);
  }
  return Buffer.from(pieces.map(([, , data]) => data).join(''), 'base64');
}

/** The file in an iTerm2 sequence. */
export function itermDrawn(written: string): Buffer | undefined {
  const [, size, data] = new RegExp(
    `${E}\\]1337;File=inline=1;size=(\\d+);[^:]*preserveAspectRatio=1:([^\u0007]*)\u0007`,
    'u',
  ).exec(written) ?? [undefined, undefined, undefined];
  const file = data === undefined ? undefined : Buffer.from(data, 'base64');
  if (file && file.length !== Number(size)) throw new Error('its size is not the stated one');
  return file;
}

export interface DrawnPixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue, row by row. */
  readonly pixels: Uint8Array;
}

/** The pixels of a sixel sequence, as a terminal would decode it. */
export function sixelDrawn(written: string): DrawnPixels | undefined {
  const [, body] = new RegExp(`${E}P[\\d;]*q([^${E}]*)${E}\\\\`, 'u').exec(written) ?? [];
  const [, wide, tall] = /^"1;1;(\d+);(\d+)/u.exec(body ?? '') ?? [];
  if (body === undefined || wide === undefined || tall === undefined) return undefined;
  const [width, height] = [Number(wide), Number(tall)];
  const pixels = new Uint8Array(width * height * 3);
  const colours = new Map<number, readonly number[]>();
  let [x, y, colour] = [0, 0, 0];
  const put = (bits: number): void => {
    for (let bit = 0; bit < 6; bit++) {
      if ((bits & (1 << bit)) === 0) continue;
      if (x >= width || y + bit >= height) throw new Error('it draws outside of its size');
      pixels.set(colours.get(colour)!, ((y + bit) * width + x) * 3);
    }
    x++;
  };
  const tokens = body
    .slice(`"1;1;${wide};${tall}`.length)
    .matchAll(/#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)(.)|([$-])|([?-~])/gu);
  for (const [, index, red, green, blue, count, repeated, move, sixel] of tokens) {
    if (red !== undefined)
      colours.set(
        Number(index),
        [red, green, blue].map((one) => Math.round(Number(one) * 2.55)),
      );
    else if (index !== undefined) colour = Number(index);
    else if (count !== undefined) for (let left = Number(count); left > 0; left--) put(repeated!.charCodeAt(0) - 63);
    else if (move === '$') x = 0;
    else if (move === '-') [x, y] = [0, y + 6];
    else put(sixel!.charCodeAt(0) - 63);
  }
  return { width, height, pixels };
}
