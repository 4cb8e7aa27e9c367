import { imageConverter } from '../../../actions/calls/screen-images.js';
import { unreachable } from '../../../base/never.js';
import { within } from '../../../base/within.js';
import type { Clock } from '../../../model/clock.js';
import type { ScreenImage } from '../../../model/screen-image.js';
import type { Size } from '../footer.js';
import { CELL, imageCells } from './image-size.js';
import { ATTRIBUTES_QUERY, imageRouteOf, type ImageWay, KITTY_QUERY, readImageReply } from './image-way.js';
import { itermImage } from './iterm-image.js';
import { kittyImage } from './kitty-image.js';
import { sixelImage } from './sixel-image.js';
import { passesThroughTmux, TMUX_LIMIT, wrapForTmux } from './tmux-passthrough.js';

/** Draws images on a terminal, where it can. */
export interface ImageDrawer {
  /**
   * What to write so that an image is drawn at the cursor, within `room`; undefined where the terminal draws none.
   * Never rejects.
   */
  encode(image: ScreenImage, room: Size): Promise<string | undefined>;
}

export interface TerminalImagesOptions {
  readonly env: { readonly [name: string]: string | undefined };
  /** Writes to the terminal, which is in raw mode: its replies come to `reply`. */
  readonly write: (text: string) => void;
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** Asks the terminal once, with the first image, how it draws images. */
export class TerminalImages implements ImageDrawer {
  readonly #options: TerminalImagesOptions;
  readonly #isTmux: boolean;
  #way: ImageWay = 'none';
  #deciding: Promise<void> | undefined;
  #isExpecting = false;
  #answered: (() => void) | undefined;
  /** Resolves when the last reply is there. */
  #replied: Promise<void> = Promise.resolve();

  constructor(options: TerminalImagesOptions) {
    this.#options = options;
    this.#isTmux = imageRouteOf(options.env).isTmux;
  }

  /** The terminal was asked and has not replied in full: what it sends now may be a late reply. */
  get isExpecting(): boolean {
    return this.#isExpecting;
  }

  /** Takes a reply of the terminal. A late one counts for the next image. */
  reply(sequence: string): void {
    const said = readImageReply(sequence);
    if (!this.#isExpecting || said === undefined) return;
    if (said === 'kitty') this.#way = 'kitty';
    else if (said === 'sixel' && this.#way === 'none') this.#way = 'sixel';
    // tmux itself replies to DA1 at once, so behind it only the reply to the first query counts.
    if (said !== 'kitty' || this.#isTmux) {
      this.#isExpecting = false;
      this.#answered?.();
    }
  }

  /** Waits for a late reply, so that it does not end up in the input line of the shell. Never rejects. */
  async drain(): Promise<void> {
    if (this.#isExpecting) await this.#within(this.#replied, LATE_MS);
  }

  async encode(image: ScreenImage, room: Size): Promise<string | undefined> {
    await (this.#deciding ??= this.#decide());
    const cells = imageCells(image, room);
    const how = { cells, isStill: this.#isTmux };
    switch (this.#way) {
      case 'none':
        return undefined;
      case 'kitty': {
        const png = await imageConverter.toPng(image);
        return png && this.#placed(kittyImage(png.bytes, how), cells);
      }
      case 'iterm': {
        // The frames of other formats have sizes of their own, which the header does not bound.
        const isPlain = image.type === 'image/png' || image.type === 'image/jpeg';
        const file = isPlain ? image : await imageConverter.toPng(image);
        return file && this.#placed([itermImage(file.bytes, how)], cells);
      }
      case 'sixel': {
        const most = { width: cells.columns * CELL.width, height: cells.rows * CELL.height };
        const pixels = await imageConverter.toPixels(image, most);
        return pixels && sixelImage(pixels);
      }
      default:
        return unreachable(this.#way);
    }
  }

  /** Behind tmux the rows are reserved first: tmux knows nothing of the image. */
  #placed(sequences: readonly string[], { rows }: Size): string | undefined {
    if (!this.#isTmux) return sequences.join('');
    const wrapped = sequences.map(wrapForTmux);
    if (wrapped.some((one) => one.length > TMUX_LIMIT)) return undefined;
    return `${'\n'.repeat(rows)}\u001B[${rows}A${wrapped.join('')}\u001B[${rows}B\r`;
  }

  async #decide(): Promise<void> {
    const { env, write } = this.#options;
    const { way } = imageRouteOf(env);
    if (way === 'none' || (this.#isTmux && !(await passesThroughTmux(env)))) return;
    if (way !== 'ask') {
      this.#way = way;
      return;
    }
    this.#isExpecting = true;
    this.#replied = new Promise((resolve) => (this.#answered = resolve));
    write(this.#isTmux ? wrapForTmux(KITTY_QUERY) : KITTY_QUERY + ATTRIBUTES_QUERY);
    await this.#within(this.#replied, REPLY_MS);
  }

  async #within(work: Promise<void>, ms: number): Promise<void> {
    const { clock = OWN_CLOCK } = this.#options;
    await within(work, { deadline: (expire) => clock.after(ms, expire), instead: () => undefined });
  }
}

/** For a screen that draws no images. */
export const NO_IMAGES: ImageDrawer = { encode: () => Promise.resolve(undefined) };

const OWN_CLOCK: Pick<Clock, 'after'> = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
const REPLY_MS = 200; // a terminal replies at once, also through SSH; the user waits meanwhile
const LATE_MS = 1_000; // from then on a reply is not waited for any more
