import { LetterScanner } from './letter-width.js';
import { OpenStyles } from '../open-styles.js';

/** The columns of a row: escape sequences take none, Chinese and emoji two, a tab as many as to the next stop. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  const letters = new LetterScanner(text);
  let width = 0;
  while (letters.next()) width += text[letters.start] === '\t' ? tabWidth(width) : letters.width;
  return width;
}

/** Cuts a row to these columns, with `…` where it was cut. Open styles are closed there. */
export function cutToColumns(text: string, columns: number): string {
  if (text.length <= columns && isPlain(text)) return text;
  if (columns < 1) return '';
  const letters = new LetterScanner(text);
  const styles = new OpenStyles();
  let width = 0;
  let fitting = 0; // as much as leaves room for the `…`
  let closing = '';
  while (letters.next()) {
    const { start, end } = letters;
    if (letters.isEscape) styles.take(text.slice(start, end));
    width += text[start] === '\t' ? tabWidth(width) : letters.width;
    if (width > columns) return `${text.slice(0, fitting)}…${closing}`;
    if (width < columns) {
      fitting = end;
      closing = styles.closing;
    }
  }
  return text;
}

/** Cuts a name without styles to these columns, with `…` in its middle: names often differ only at their end. */
export function cutMiddle(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  const letters = new LetterScanner(text);
  const parts: { readonly text: string; readonly width: number }[] = [];
  while (letters.next()) parts.push({ text: text.slice(letters.start, letters.end), width: letters.width });
  const tail = lettersWithin(parts.toReversed(), Math.floor((columns - 1) / 2));
  const head = lettersWithin(parts, columns - 1 - tail.width);
  return `${head.texts.join('')}…${tail.texts.toReversed().join('')}`;
}

/** As many of the first letters as fit. */
function lettersWithin(
  letters: readonly { readonly text: string; readonly width: number }[],
  columns: number,
): { readonly texts: readonly string[]; readonly width: number } {
  const texts: string[] = [];
  let width = 0;
  for (const letter of letters) {
    if (width + letter.width > columns) break;
    width += letter.width;
    texts.push(letter.text);
  }
  return { texts, width };
}

/** Pads with blanks at the end; `align: 'end'` puts them at the beginning. */
export function padText(text: string, columns: number, align: 'start' | 'end' = 'start'): string {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'start' ? text + blanks : blanks + text;
}

/**
 * Wraps a text between words; a word longer than a row is broken after a slash, or anywhere. Rows after the first begin
 * with `indent` blanks. Styles are closed at the end of each row and opened again in the next.
 */
export function wrapText(text: string, columns: number, indent = 0): string[] {
  return wrapWords(text, { columns, indent });
}

export interface WrapTextOptions {
  readonly columns: number;
  readonly indent?: number;
  /** Words that stay whole though longer than a row: the terminal wraps them, so an address can be copied. */
  readonly keeps?: (word: string) => boolean;
}

/**
 * Wraps like `wrapText` a line that a person decides about, and loses no blank: those at the end of a row are drawn as
 * `␣`, long runs as `[␣×40]`. So no two lines have the same rows. A `␣` of the line itself is written out.
 */
export function wrapExact(line: string, columns: number, indent = 0): string[] {
  const text = line
    .replaceAll(OPEN_BOX, String.raw`\u{2423}`)
    .replaceAll(LONG_RUN, (blanks) => showBlanks(blanks.length));
  const rows = new Rows({ columns, indent, isExact: true });
  rows.addLine(text);
  return rows.done;
}

export function wrapWords(text: string, { columns, indent = 0, keeps = () => false }: WrapTextOptions): string[] {
  if (text.length <= columns && isPlain(text)) return [text];
  const rows = new Rows({ columns, indent, keeps });
  for (const line of text.split('\n')) rows.addLine(line);
  return rows.done;
}

/** Blanks that can be seen and counted. */
function showBlanks(count: number): string {
  return count > FEW_BLANKS ? `[${OPEN_BOX}×${count}]` : OPEN_BOX.repeat(count);
}

const OPEN_BOX = '␣'; // U+2423, made for this; narrow everywhere, unlike the middle dot
const FEW_BLANKS = 3;
const LONG_RUN = /(?<=\S) {17,}/gu; // not the indent of a line; code is seldom aligned with more

const NARROWEST = 8; // columns; in fewer, an indent would leave no room for words
const TAB = 8;

interface RowsOptions extends WrapTextOptions {
  /** Whether blanks that no row shows are drawn. */
  readonly isExact?: boolean;
}

/** Fills rows, a word at a time. */
class Rows {
  readonly done: string[] = [];
  readonly #columns: number;
  readonly #margin: string;
  readonly #keeps: (word: string) => boolean;
  readonly #isExact: boolean;
  readonly #styles = new OpenStyles();
  #row = '';
  #width = 0;
  /** Whether the row has only the margin. */
  #isEmpty = true;
  #blanks = '';
  #word = '';
  #wordWidth = 0;
  #escapes: string[] = [];
  /** Whether a row may end after the last letter of the word. */
  #mayEnd = false;

  constructor({ columns, indent = 0, keeps = () => false, isExact = false }: RowsOptions) {
    this.#columns = Math.max(columns, 1);
    this.#margin = ' '.repeat(Math.min(indent, Math.max(columns - NARROWEST, 0)));
    this.#keeps = keeps;
    this.#isExact = isExact;
  }

  addLine(line: string): void {
    this.#begin();
    const letters = new LetterScanner(line);
    while (letters.next()) this.#add(line.slice(letters.start, letters.end), letters);
    this.#finish();
  }

  #begin(): void {
    this.#row = this.#styles.opening;
    this.#width = 0;
    this.#isEmpty = true;
    this.#blanks = '';
    this.#mayEnd = false;
  }

  #add(letter: string, { width, isEscape }: { readonly width: number; readonly isEscape: boolean }): void {
    if (isEscape) {
      this.#word += letter;
      this.#escapes.push(letter);
      return;
    }
    if (letter === ' ' || letter === '\t') {
      this.#place();
      this.#blanks += ' ';
      return;
    }
    // Scripts without blanks may break between any two letters, but no row begins with closing punctuation.
    const isWide = width === 2;
    if ((isWide || this.#mayEnd) && this.#wordWidth > 0 && !CLOSING.test(letter)) this.#place();
    this.#word += letter;
    this.#wordWidth += width;
    this.#mayEnd = isWide && !OPENING.test(letter);
  }

  #finish(): void {
    this.#place();
    if (this.#isExact && this.#blanks !== '') this.#drawBlanks();
    this.done.push(this.#row + this.#styles.closing);
  }

  #place(): void {
    if (this.#word === '') return;
    const room = this.#columns - this.#width - this.#blanks.length;
    if (this.#wordWidth > room && !this.#isEmpty) {
      if (this.#isExact && this.#blanks !== '') this.#drawBlanks();
      if (!this.#isExact || this.#wordWidth > this.#columns - this.#width) this.#break();
    }
    // Blanks at the beginning of a line are an indent, kept where there is room.
    else if (this.#wordWidth <= room || this.#blanks.length < this.#columns / 2) this.#write(this.#blanks);
    else if (this.#isExact) this.#drawBlanks();
    this.#blanks = '';
    if (this.#wordWidth > this.#columns - this.#width && !this.#keeps(this.#word)) this.#breakWord();
    else {
      this.#write(this.#word, this.#wordWidth);
      for (const escape of this.#escapes) this.#styles.take(escape);
    }
    if (this.#wordWidth > 0) this.#isEmpty = false;
    this.#word = '';
    this.#wordWidth = 0;
    this.#escapes = [];
    this.#mayEnd = false;
  }

  /** Draws blanks at the end of the row, or in the next one where there is no room. */
  #drawBlanks(): void {
    const marks = showBlanks(this.#blanks.length);
    if (marks.length > this.#columns - this.#width && !this.#isEmpty) this.#break();
    for (const letter of marks) {
      if (this.#width >= this.#columns && !this.#isEmpty) this.#break();
      this.#write(letter, 1);
      this.#isEmpty = false;
    }
    this.#blanks = '';
  }

  #write(text: string, width = text.length): void {
    this.#row += text;
    this.#width += width;
  }

  #break(): void {
    this.done.push(this.#row + this.#styles.closing);
    this.#row = this.#margin + this.#styles.opening;
    this.#width = this.#margin.length;
    this.#isEmpty = true;
  }

  /** Breaks after a slash where that is possible, so that a path stays readable; else anywhere. */
  #breakWord(): void {
    for (const part of partsOf(this.#word)) {
      const width = textWidth(part);
      const isLong = width > this.#columns - this.#width;
      if (isLong && !this.#isEmpty && width <= this.#columns - this.#margin.length) this.#break();
      const letters = new LetterScanner(part);
      while (letters.next()) {
        const letter = part.slice(letters.start, letters.end);
        if (letters.isEscape) this.#styles.take(letter);
        if (letters.width > this.#columns - this.#width && !this.#isEmpty) this.#break();
        this.#write(letter, letters.width);
        if (letters.width > 0) this.#isEmpty = false;
      }
    }
  }
}

/** A word in parts, each but the last with a slash at its end. A slash within an escape sequence is none. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  const letters = new LetterScanner(word);
  let from = 0;
  let isAfterSlash = false;
  while (letters.next()) {
    const isSlash = !letters.isEscape && SLASHES.has(word[letters.start]!);
    if (isAfterSlash && !isSlash) {
      parts.push(word.slice(from, letters.start));
      from = letters.start;
    }
    isAfterSlash = isSlash;
  }
  return [...parts, word.slice(from)];
}

const SLASHES: ReadonlySet<string> = new Set(['/', '\\']);
const CLOSING = /^[\p{Pe}\p{Pf}!,.:;?、。々〜ー！，．：；？…]/u;
const OPENING = /^[\p{Ps}\p{Pi}]/u;

function isPlain(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

function tabWidth(column: number): number {
  return TAB - (column % TAB);
}
