import { LetterScanner } from './letter-width.js';
import { textWidth } from './text-width.js';

export interface TextRowOptions {
  /** Shown before the first row. */
  readonly mark: string;
  /** Shown before every other row. */
  readonly indent: string;
  readonly columns: number;
  /** Rows shown at most, the cursor's among them. */
  readonly height: number;
}

export interface TextRows {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** A text being edited as rows, with the cell of the cursor. A long text is shown around the cursor. */
export function toTextRows(text: string, cursor: number, options: TextRowOptions): TextRows {
  const { height } = options;
  const { rows, at } = rowsAround(text, cursor, options);
  const from = Math.max(Math.min(at - Math.floor(height / 2), rows.length - height), 0);
  const shown = rows.slice(from, from + height);
  return {
    rows: shown.map((row) => leadOf(row, options) + text.slice(row.from, row.to).replaceAll('\t', TAB)),
    cursor: { row: at - from, column: columnOf(text, { row: rows[at]!, cursor, options }) },
  };
}

/** The cursor one row up or down; undefined when there is no such row. */
export function moveByRow(
  text: string,
  cursor: number,
  options: TextRowOptions & { readonly by: -1 | 1 },
): number | undefined {
  const { rows, at } = rowsAround(text, cursor, { ...options, height: 2 });
  const row = rows[at + options.by];
  if (!row) return undefined;
  const wanted = columnOf(text, { row: rows[at]!, cursor, options });
  let column = textWidth(leadOf(row, options));
  const letters = new LetterScanner(text.slice(row.from, row.to));
  while (letters.next()) {
    if (column >= wanted) return row.from + letters.start;
    column += widthOf(text, row.from + letters.start, letters);
  }
  // The end of a wrapped row is the beginning of the next.
  return row.goesOn && row.to > row.from ? row.from + letters.start : row.to;
}

/** A part of the text that takes one row of the screen. `goesOn`: the next row belongs to the same line. */
interface Row extends Span {
  readonly isFirst: boolean;
  readonly goesOn: boolean;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The cursor's row, with `height` rows before and after it where there are as many. */
function rowsAround(
  text: string,
  cursor: number,
  options: TextRowOptions,
): { readonly rows: readonly Row[]; readonly at: number } {
  const { height } = options;
  const piece = pieceAt(text, cursor);
  let rows = breakPiece(text, piece, options);
  let { from, to } = piece;
  let at = rows.findLastIndex((row) => row.from <= cursor);
  while (from > 0 && at < height) {
    const before = pieceAt(text, from - 1);
    const more = breakPiece(text, before, options);
    rows = [...more, ...rows];
    at += more.length;
    from = before.from;
  }
  while (to < text.length && rows.length - at <= height) {
    const after = pieceAt(text, text[to] === '\n' ? to + 1 : to);
    rows = [...rows, ...breakPiece(text, after, options)];
    to = after.to;
  }
  return { rows, at };
}

/** The line around `at`, or a part of a very long one: text far from the cursor is not scanned. */
function pieceAt(text: string, at: number): Span {
  const lineFrom = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at);
  const part = Math.floor((at - lineFrom) / PIECE);
  const from = wholeAt(text, lineFrom + part * PIECE);
  if (from > at) return { from: wholeAt(text, lineFrom + (part - 1) * PIECE), to: from };
  return { from, to: Math.min(wholeAt(text, lineFrom + (part + 1) * PIECE), lineEnd === -1 ? text.length : lineEnd) };
}

/** The next index that is not within a surrogate pair. */
function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000 ? at + 1 : at;
}

function breakPiece(text: string, { from, to }: Span, options: TextRowOptions): Row[] {
  const rows: Row[] = [];
  const letters = new LetterScanner(text.slice(from, to));
  let start = from;
  let isFirst = from === 0;
  let room = roomFor(isFirst, options);
  while (letters.next()) {
    const at = from + letters.start;
    const width = widthOf(text, at, letters);
    if (width > room && (at > start || isFirst)) {
      rows.push({ from: start, to: at, isFirst, goesOn: true });
      start = at;
      isFirst = false;
      room = roomFor(isFirst, options);
    }
    room -= width;
  }
  return [...rows, { from: start, to, isFirst, goesOn: to < text.length && text[to] !== '\n' }];
}

/** Leaves the last column free for the cursor. */
function roomFor(isFirst: boolean, { mark, indent, columns }: TextRowOptions): number {
  return Math.max(columns - 1 - textWidth(isFirst ? mark : indent), 0);
}

function columnOf(
  text: string,
  { row, cursor, options }: { readonly row: Row; readonly cursor: number; readonly options: TextRowOptions },
): number {
  let column = textWidth(leadOf(row, options));
  const letters = new LetterScanner(text.slice(row.from, cursor));
  while (letters.next()) column += widthOf(text, row.from + letters.start, letters);
  return Math.min(column, options.columns - 1);
}

function leadOf({ isFirst }: Row, { mark, indent }: TextRowOptions): string {
  return isFirst ? mark : indent;
}

function widthOf(text: string, at: number, { width }: LetterScanner): number {
  return text[at] === '\t' ? TAB.length : width;
}

const TAB = '    '; // a fixed width, so that text before a tab does not move it
const PIECE = 4096; // characters
