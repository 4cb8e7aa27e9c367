import { gateText } from '../../../model/text/text-gate.js';
import type { Style } from '../../output/style.js';
import { MarkdownBlocks } from './markdown-blocks.js';

export interface MarkdownOptions {
  /** Asked whenever something is drawn. */
  readonly columns: () => number;
  readonly style: Style;
  /** An address as the terminal can open it; as it is unless said otherwise. */
  readonly link?: (url: string) => string;
}

/**
 * What a model says, as it comes, in rows of a terminal. Pieces may be cut anywhere: what comes out hangs only on the text. Nothing in
 * it that a terminal would obey gets through.
 */
export class MarkdownStream {
  readonly #blocks: MarkdownBlocks;
  /** Of a line whose end has not come. */
  #partial = '';
  /** The line has begun in rows that were given out. */
  #isCut = false;

  constructor({ columns, style, link = (url) => url }: MarkdownOptions) {
    const isStyled = style.bold('x') !== 'x';
    this.#blocks = new MarkdownBlocks({
      columns: () => Math.max(columns(), NARROWEST),
      style,
      isStyled,
      link: (url) => (isOpenable(url) ? link(url) : url),
    });
  }

  /** Rows that are finished: they never change. */
  push(text: string): readonly string[] {
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      this.#partial += text.slice(begin, end);
      begin = end + 1;
      this.#cutLong();
      this.#addLine(this.#blocks, this.#partial.replace(/\r$/u, ''), this.#isCut);
      this.#partial = '';
      this.#isCut = false;
    }
    this.#partial += text.slice(begin);
    this.#cutLong();
    return this.#blocks.take();
  }

  /** Rows of what is not finished yet, as it would look if it ended here. */
  get rest(): readonly string[] {
    const blocks = this.#blocks.fork();
    const shown = this.#partial.slice(0, SHOWN).replace(/[\uD800-\uDBFF\r]$/u, '');
    if (!isOnlySigns(shown)) this.#addLine(blocks, shown, this.#isCut);
    blocks.end({ isOpen: true });
    return blocks.take();
  }

  /** What was left. The stream can go on with another text. */
  end(): readonly string[] {
    if (this.#partial !== '') this.#addLine(this.#blocks, this.#partial.replace(/\r$/u, ''), this.#isCut);
    this.#partial = '';
    this.#isCut = false;
    this.#blocks.end();
    return this.#blocks.take();
  }

  /** Nobody has to keep a line without an end. Where it is cut hangs on the line alone. */
  #cutLong(): void {
    while (this.#partial.length > LINE_LIMIT) {
      const last = this.#partial.charCodeAt(LINE_LIMIT - 1);
      const end = last >= 0xd800 && last <= 0xdbff ? LINE_LIMIT - 1 : LINE_LIMIT;
      this.#addLine(this.#blocks, this.#partial.slice(0, end), this.#isCut);
      this.#partial = this.#partial.slice(end);
      this.#isCut = true;
    }
  }

  /** The gate knows of more line ends than one. */
  #addLine(blocks: MarkdownBlocks, raw: string, isCut: boolean): void {
    const [first, ...others] = gateText(raw).text.split('\n');
    if (isCut) blocks.more(first!);
    else blocks.line(first!);
    for (const line of others) blocks.line(line);
  }
}

const NARROWEST = 10; // columns
const LINE_LIMIT = 65_536; // characters; the longest line that is shown, or can be copied, as one
const SHOWN = 16_384; // characters of a line that is still coming: more than any screen has

/** What may still become a mark of something would flicker. */
function isOnlySigns(text: string): boolean {
  return text.length <= 12 && /^[\s>*+\-=#`~_|:\d.)]*$/u.test(text);
}

/** Others are shown, and never handed to a program. */
function isOpenable(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)[!-~]+$/u.test(url);
}
