// https://spec.commonmark.org/0.31.2/#container-blocks and the leaf blocks in them.
import { letterWidth } from '../text/letter-width.js';
import { isAddress } from './markdown-address.js';
import { type InlineOptions, type Paper, renderInline } from './markdown-inline.js';
import {
  blanksAt,
  closesFence,
  type Fence,
  isRule,
  isUnderline,
  type Marker,
  toFence,
  toHeading,
  toMarker,
  withBlanks,
} from './markdown-line.js';
import { type Container, MarkdownPage } from './markdown-page.js';
import { renderTable, type MarkdownTable, toCells, toTable } from './markdown-table.js';
import { wrapWords } from '../text/text-width.js';

/** The block that the last line belongs to. */
type Leaf =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly lines: string[]; size: number }
  | { readonly kind: 'fence'; readonly fence: Fence }
  | { readonly kind: 'indented' }
  | { readonly kind: 'table'; table: MarkdownTable; readonly rows: string[][] };

const NONE: Leaf = { kind: 'none' };

/** Turns lines of Markdown into rows of a terminal; each row as soon as no later line can change it. */
export class MarkdownBlocks {
  readonly #page: MarkdownPage;
  #leaf: Leaf = NONE;

  constructor(paper: Paper, page = new MarkdownPage(paper)) {
    this.#page = page;
  }

  /** A copy, to see what would be drawn if the text ended now. */
  fork(): MarkdownBlocks {
    const fork = new MarkdownBlocks(this.#page.paper, this.#page.fork());
    fork.#leaf = copyLeaf(this.#leaf);
    return fork;
  }

  /** Returns the finished rows, each once. */
  take(): readonly string[] {
    return this.#page.take();
  }

  /** `isOpen`: the last paragraph is still being written. */
  end(options: InlineOptions = {}): void {
    this.#closeLeaf(options);
    this.#closeTo(0);
  }

  /** Adds the next part of a line that was too long for one piece. */
  more(text: string): void {
    const leaf = this.#leaf;
    if (leaf.kind === 'fence') this.#page.write([text]);
    else if (leaf.kind === 'paragraph') {
      leaf.lines.push((leaf.lines.pop() ?? '') + text);
      this.#grow(leaf, text.length);
    } else this.#addText(text);
  }

  line(given: string): void {
    if (this.#leaf.kind === 'fence' && this.#page.containers.length === 0) {
      this.#addCode(this.#leaf.fence, given);
      return;
    }
    const line = withBlanks(given.trimEnd() === '' ? '' : given);
    const { matched, at: begin } = this.#match(line);
    if (this.#leaf.kind === 'fence') {
      if (matched === this.#page.containers.length) {
        this.#addCode(this.#leaf.fence, line.slice(begin));
        return;
      }
      this.#leaf = NONE;
    }
    if (blanksAt(line, begin) + begin >= line.length) {
      this.#addBlank(matched);
      return;
    }
    const { rest, isNew } = this.#open(line, begin, matched);
    if (isNew) {
      if (rest.trim() !== '') this.#addLeaf(rest);
    } else if (matched < this.#page.containers.length && this.#leaf.kind === 'paragraph' && !beginsBlock(rest)) {
      this.#addText(rest); // lazy continuation: the marks need not be repeated on every line of a paragraph
    } else {
      this.#closeTo(matched);
      this.#addLeaf(rest);
    }
  }

  /** How many of the open containers a line continues. */
  #match(line: string): { readonly matched: number; readonly at: number } {
    let at = 0;
    let matched = 0;
    for (const container of this.#page.containers) {
      const blanks = blanksAt(line, at);
      if (container.kind === 'quote') {
        if (blanks > 3 || line[at + blanks] !== '>') break;
        at += blanks + 1;
        if (line[at] === ' ') at++;
      } else if (at + blanks < line.length) {
        if (blanks < container.indent) break;
        at += container.indent;
      }
      matched++;
    }
    return { matched, at };
  }

  /** Opens the containers that begin in this line. */
  #open(line: string, begin: number, matched: number): { readonly rest: string; readonly isNew: boolean } {
    let rest = line.slice(begin);
    let depth = matched;
    let isNew = false;
    while (depth < DEPTH && blanksAt(rest, 0) < CODE_INDENT) {
      const blanks = blanksAt(rest, 0);
      if (rest[blanks] === '>') {
        this.#push(depth, { kind: 'quote' });
        rest = rest.slice(rest[blanks + 1] === ' ' ? blanks + 2 : blanks + 1);
      } else {
        const marker = toMarker(rest);
        if (!marker || isRule(rest)) break;
        if (!isNew && depth === this.#page.containers.length && !this.#mayInterrupt(marker, rest)) break;
        this.#push(depth, this.#toItem(marker, depth));
        rest = rest.slice(marker.indent);
      }
      depth++;
      isNew = true;
    }
    return { rest, isNew };
  }

  /** A number at the beginning of a line does not always begin a list. */
  #mayInterrupt({ number, isEmpty }: Marker, rest: string): boolean {
    if (this.#leaf.kind !== 'paragraph') return true;
    return !isEmpty && (number === undefined || number === 1) && !isUnderline(rest);
  }

  #toItem({ sign, number, indent }: Marker, depth: number): Container {
    const before = this.#page.containers[depth];
    const isNext = before?.kind === 'item' && before.sign === sign && before.number !== undefined;
    return { kind: 'item', sign, indent, number: isNext ? before.number + 1 : number };
  }

  #push(depth: number, container: Container): void {
    this.#closeTo(depth);
    this.#closeLeaf();
    this.#page.push(container);
  }

  #closeTo(depth: number): void {
    if (depth >= this.#page.containers.length) return;
    this.#closeLeaf();
    this.#page.closeTo(depth);
  }

  #addBlank(matched: number): void {
    const isKept = this.#leaf.kind === 'indented';
    if (!isKept) this.#closeLeaf();
    if (this.#page.containers[matched]?.kind === 'quote') this.#closeTo(matched);
    this.#page.leaveGap(matched, { isKept });
  }

  #addLeaf(text: string): void {
    const leaf = this.#leaf;
    if (leaf.kind === 'paragraph') {
      if (isUnderline(text)) {
        this.#leaf = NONE;
        this.#writeHeading(text.trim()[0] === '=' ? 1 : 2, joinLines(leaf.lines));
        return;
      }
      const table = toTable(leaf.lines.at(-1)!, text);
      if (table) {
        leaf.lines.pop();
        this.#closeLeaf();
        this.#leaf = { kind: 'table', table, rows: [] };
        return;
      }
    }
    if (leaf.kind === 'table' && text.includes('|') && !beginsBlock(text)) {
      leaf.rows.push(toCells(text, leaf.table.header.length));
      if (leaf.rows.length >= TABLE_ROWS) this.#writeTable(leaf);
      return;
    }
    if (leaf.kind !== 'paragraph' && blanksAt(text, 0) >= CODE_INDENT) {
      if (leaf.kind !== 'indented') {
        this.#closeLeaf();
        this.#leaf = { kind: 'indented' };
      }
      this.#page.write([text]);
      return;
    }
    if (leaf.kind === 'indented') {
      this.#leaf = NONE;
      this.#page.narrowGap();
    }
    const heading = toHeading(text);
    const fence = heading ? undefined : toFence(text);
    if (heading) {
      this.#closeLeaf();
      this.#writeHeading(heading.level, heading.text);
    } else if (fence) {
      this.#closeLeaf();
      this.#leaf = { kind: 'fence', fence };
      this.#page.write([this.#page.paper.style.dim(text.trim())]);
    } else if (isRule(text)) {
      this.#closeLeaf();
      this.#page.write([this.#page.paper.style.dim('─'.repeat(Math.min(this.#page.room, RULE)))]);
    } else this.#addText(text);
  }

  #addText(text: string): void {
    if (this.#leaf.kind !== 'paragraph') {
      this.#closeLeaf();
      this.#leaf = { kind: 'paragraph', lines: [], size: 0 };
    }
    const leaf = this.#leaf;
    if (leaf.kind !== 'paragraph') return;
    leaf.lines.push(text.trimStart());
    this.#grow(leaf, text.length);
  }

  #grow(leaf: Leaf & { readonly kind: 'paragraph' }, by: number): void {
    leaf.size += by + 1;
    if (leaf.size >= PARAGRAPH_LIMIT) this.#closeLeaf();
  }

  /** Code is not wrapped, so that it can be copied: the terminal wraps it. */
  #addCode(fence: Fence, line: string): void {
    if (closesFence(line, fence)) {
      this.#leaf = NONE;
      this.#page.write([this.#page.paper.style.dim(line.trim())]);
    } else this.#page.write([line.slice(Math.min(blanksAt(line, 0), fence.indent))]);
  }

  #closeLeaf(options: InlineOptions = {}): void {
    const leaf = this.#leaf;
    this.#leaf = NONE;
    if (leaf.kind === 'paragraph' && leaf.lines.length > 0) this.#writeWords(joinLines(leaf.lines), options);
    if (leaf.kind === 'table') this.#writeTable(leaf);
  }

  /** Without styles the marks of a heading stay, to show its level. */
  #writeHeading(level: number, text: string): void {
    const { isStyled } = this.#page.paper;
    this.#page.setOff();
    const marks = isStyled ? '' : `${'#'.repeat(level)} `;
    this.#writeWords(marks + text, { isBold: isStyled, isUnderlined: isStyled && level === 1 });
  }

  #writeWords(text: string, options: InlineOptions): void {
    const words = renderInline(text, this.#page.paper, options);
    this.#page.write(wrapWords(words, { columns: this.#page.room, keeps: isAddress }));
  }

  #writeTable(leaf: Leaf & { readonly kind: 'table' }): void {
    const { table, rows } = leaf;
    const { room, paper } = this.#page;
    const rendered = renderTable({ ...table, rows }, room, paper);
    leaf.table = { ...table, begun: { widths: rendered.widths } };
    rows.length = 0;
    if (rendered.rows.length > 0) this.#page.write(rendered.rows);
  }
}

const DEPTH = 12; // deeper marks are text
const CODE_INDENT = 4;
const RULE = 40; // columns
/** Larger blocks are shown in parts, because an open block is redrawn again and again. */
const PARAGRAPH_LIMIT = 16_384;
const TABLE_ROWS = 200;

function beginsBlock(text: string): boolean {
  return toHeading(text) !== undefined || toFence(text) !== undefined || isRule(text);
}

function copyLeaf(leaf: Leaf): Leaf {
  if (leaf.kind === 'paragraph') return { ...leaf, lines: [...leaf.lines] };
  return leaf.kind === 'table' ? { ...leaf, rows: [...leaf.rows] } : leaf;
}

/** The lines of a paragraph as one, with `\n` only at hard line breaks. */
function joinLines(lines: readonly string[]): string {
  let text = '';
  let isHard = false;
  for (const line of lines) {
    const words = line.trimEnd();
    if (text !== '') text += isHard ? '\n' : isWide(text.at(-1)) && isWide(words[0]) ? '' : ' ';
    isHard = /\S {2,}$/u.test(line);
    const isEscaped = !isHard && /(?:^|[^\\])(?:\\\\)*\\$/u.test(words);
    text += isEscaped ? words.slice(0, -1) : words;
    isHard ||= isEscaped;
  }
  return text;
}

/** In scripts without spaces no space is added where lines are joined. */
function isWide(letter: string | undefined): boolean {
  return letter !== undefined && letterWidth(letter.codePointAt(0)!) === 2;
}
