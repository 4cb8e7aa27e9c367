import { gateText } from '../../../model/text/text-gate.js';
import type { Style } from '../../output/style.js';
import { MarkdownBlocks } from './markdown-blocks.js';

export interface MarkdownOptions {
  /** Read at every drawing. */
  readonly columns: () => number;
  readonly style: Style;
  /** Makes an address clickable; unchanged by default. */
  readonly link?: (url: string) => string;
}

/**
 * Renders streamed Markdown of a model as terminal rows. Chunks may be split anywhere: the result depends only on the
 * text. The text is gated, so no escape sequence gets through.
 */
export class MarkdownStream {
  readonly #blocks: MarkdownBlocks;
  /** The incomplete last line. */
  #partial = '';
  /** Whether the beginning of this line is already in finished rows. */
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

  /** Returns the rows that are finished: they never change. */
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

  /** Rows of the unfinished part, as if the text ended here. */
  get rest(): readonly string[] {
    const blocks = this.#blocks.fork();
    const shown = this.#partial.slice(0, SHOWN).replace(/[\uD800-\uDBFF\r]$/u, '');
    if (!isOnlySigns(shown)) this.#addLine(blocks, shown, this.#isCut);
    blocks.end({ isOpen: true });
    return blocks.take();
  }

  /** Returns the remaining rows. The stream can then take another text. */
  end(): readonly string[] {
    if (this.#partial !== '') this.#addLine(this.#blocks, this.#partial.replace(/\r$/u, ''), this.#isCut);
    this.#partial = '';
    this.#isCut = false;
    this.#blocks.end();
    return this.#blocks.take();
  }

  /** Cuts an endless line, so that it is not kept whole. Where it is cut depends only on the line. */
  #cutLong(): void {
    while (this.#partial.length > LINE_LIMIT) {
      const last = this.#partial.charCodeAt(LINE_LIMIT - 1);
      const end = last >= 0xd800 && last <= 0xdbff ? LINE_LIMIT - 1 : LINE_LIMIT;
      this.#addLine(this.#blocks, this.#partial.slice(0, end), this.#isCut);
      this.#partial = this.#partial.slice(end);
      this.#isCut = true;
    }
  }

  /** The gate may turn other line ends into `\n`, so one line can become several. */
  #addLine(blocks: MarkdownBlocks, raw: string, isCut: boolean): void {
    const [first, ...others] = gateText(raw).text.split('\n');
    if (isCut) blocks.more(first!);
    else blocks.line(first!);
    for (const line of others) blocks.line(line);
  }
}

const NARROWEST = 10; // columns
const LINE_LIMIT = 65_536; // characters; the longest line that is shown or can be copied as one
const SHOWN = 16_384; // characters of a streaming line: more than any screen holds

/** Text that may still become a Markdown mark, and would flicker if it were shown. */
function isOnlySigns(text: string): boolean {
  return text.length <= 12 && /^[\s>*+\-=#`~_|:\d.)]*$/u.test(text);
}

/** Only these addresses become links; others are shown as text. */
function isOpenable(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)[!-~]+$/u.test(url);
}
