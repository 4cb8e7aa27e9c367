import { LetterScanner } from './letter-width.js';
import { textWidth } from './text-width.js';

export interface TextRowOptions {
  /** Stands before the first row. */
  readonly mark: string;
  /** Before every other one. */
  readonly indent: string;
  readonly columns: number;
  /** No more rows than these are shown, the one with the cursor among them. */
  readonly height: number;
}

export interface TextRows {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** A text as it is shown while somebody writes it, with the cell that the cursor is in. A long one is shown around the cursor. */
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

/** Where the cursor is after going a row up or down; undefined when there is none. */
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
  // The end of a row that goes on is the beginning of the next.
  return row.goesOn && row.to > row.from ? row.from + letters.start : row.to;
}

/** A piece of the text that takes one row of the screen. `goesOn`: the next one is of the same line. */
interface Row extends Span {
  readonly isFirst: boolean;
  readonly goesOn: boolean;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The row with the cursor, and at least `height` rows before and after it where there are as many. */
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

/** The line, or the part of a very long one, that a place is in: what is far from the cursor is not looked at. */
function pieceAt(text: string, at: number): Span {
  const lineFrom = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = text.indexOf('\n', at);
  const part = Math.floor((at - lineFrom) / PIECE);
  const from = wholeAt(text, lineFrom + part * PIECE);
  if (from > at) return { from: wholeAt(text, lineFrom + (part - 1) * PIECE), to: from };
  return { from, to: Math.min(wholeAt(text, lineFrom + (part + 1) * PIECE), lineEnd === -1 ? text.length : lineEnd) };
}

/** The next place that is not in the middle of a character. */
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

/** The last column stays free for the cursor. */
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

const TAB = '    '; // wherever it stands, so that what is written before it does not move it
const PIECE = 4096; // characters
