import { textWidth } from './text/text-width.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Rows at the foot of the screen; each fits the width. Without `cursor` the cursor is hidden. */
export interface Frame {
  readonly rows: readonly string[];
  readonly cursor?: Cell | undefined;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/**
 * Computes what to write so that a frame stands below everything printed, without losing a row above it. The cursor is
 * known only relative to the frame's first row: a terminal does not tell where on the screen that is.
 */
export class Footer {
  /** Whether the terminal reflows its rows when it gets narrower. */
  readonly #isReflowing: boolean;
  #rows: readonly string[] = [];
  #cursor: Cell = { row: 0, column: 0 };
  #size: Size | undefined;
  #isHidden = false;

  constructor({ isReflowing }: { readonly isReflowing: boolean }) {
    this.#isReflowing = isReflowing;
  }

  /** `above`: whole lines to print before the frame. Empty when nothing has changed. */
  draw(frame: Frame, { above, size }: { readonly above: string; readonly size: Size }): string {
    const isResized = this.#size !== undefined && !isSameSize(this.#size, size);
    const isWhole = above !== '' || isResized;
    if (!isWhole && isSame(frame, { rows: this.#rows, cursor: this.#shownCursor })) return '';
    const drawn = isWhole ? this.#drawAll(frame, above, size) : this.#drawChanges(frame);
    this.#rows = frame.rows;
    this.#cursor = frame.cursor ?? { row: Math.max(frame.rows.length - 1, 0), column: 0 };
    this.#size = size;
    const hide = this.#isHidden ? '' : HIDE;
    this.#isHidden = frame.cursor === undefined && frame.rows.length > 0;
    return `${BEGIN}${hide}${drawn}${this.#isHidden ? '' : SHOW}${END}`;
  }

  /** The rows of the frame that the terminal has moved into its history because it has fewer rows now. */
  scrolledOff({ columns, rows }: Size): readonly string[] {
    // After a change of the width these rows are others.
    if (this.#size === undefined || this.#size.columns !== columns) return [];
    return this.#rows.slice(0, Math.max(this.#cursor.row - (rows - 1), 0));
  }

  /** Removes the frame; the cursor is then where the frame began. */
  erase(size: Size): string {
    return this.draw({ rows: [] }, { above: '', size });
  }

  /** Something else was drawn: the cursor is at the start of a row with nothing below it. */
  forget(): void {
    this.#rows = [];
    this.#cursor = { row: 0, column: 0 };
    this.#size = undefined;
    this.#isHidden = false;
  }

  get #shownCursor(): Cell | undefined {
    return this.#isHidden || this.#rows.length === 0 ? undefined : this.#cursor;
  }

  #drawAll({ rows, cursor }: Frame, above: string, { columns }: Size): string {
    const taken = this.#rowsTaken(columns);
    const start = `${toRowAbove(taken.above)}${eraseRows(taken.all)}${above}`;
    return `${start}${withoutWrap(rows.join('\r\n'))}${place(cursor, rows.length)}`;
  }

  /** Writes only the rows that differ. */
  #drawChanges({ rows, cursor }: Frame): string {
    const before = this.#rows;
    const { columns } = this.#size ?? { columns: 0 };
    const drawn: string[] = [];
    let isAtStart = true;
    for (const [at, row] of rows.entries()) {
      const isThere = row === before[at];
      // A row that reaches the last column needs no erasing, and some terminals would erase its last letter.
      if (isThere) drawn.push('');
      else drawn.push(row + (at < before.length && textWidth(row) < columns ? ERASE_ROW : ''));
      isAtStart = isThere;
    }
    let after = '';
    if (before.length > rows.length) {
      if (rows.length === 0) after = eraseRows(before.length);
      else after = isAtStart || textWidth(rows.at(-1)!) >= columns ? `\r\n${ERASE_BELOW}\u001B[A` : ERASE_BELOW;
    }
    return `${toRowAbove(this.#cursor.row)}${withoutWrap(drawn.join('\r\n'))}${after}${place(cursor, rows.length)}`;
  }

  /** Rows on the screen: after the width has shrunk, the terminal may have broken each row into several. */
  #rowsTaken(columns: number): { readonly above: number; readonly all: number } {
    const { row, column } = this.#cursor;
    if (!this.#isReflowing || this.#size === undefined || columns >= this.#size.columns) {
      return { above: row, all: this.#rows.length };
    }
    const counts = this.#rows.map((text) => Math.max(Math.ceil(textWidth(text) / columns), 1));
    // A cursor after the last letter of a row that is now full stays in that row.
    const within = Math.min(Math.floor(column / columns), (counts[row] ?? 1) - 1);
    return { above: sum(counts.slice(0, row)) + within, all: sum(counts) };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isSame(one: Frame, other: Frame): boolean {
  return (
    one.rows.length === other.rows.length &&
    one.cursor?.row === other.cursor?.row &&
    one.cursor?.column === other.cursor?.column &&
    one.rows.every((row, at) => row === other.rows[at])
  );
}

function isSameSize(one: Size, other: Size): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

function toRowAbove(count: number): string {
  return count === 0 ? '\r' : `\r\u001B[${count}A`;
}

/** Erases these rows. Not with one sequence: from the top left corner tmux would add the screen to its history. */
function eraseRows(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ERASE_ROW : `${ERASE_ROW}\r\n${ERASE_BELOW}\u001B[A`;
}

/** Turns wrapping off: a row that the terminal measures wider than Plugboard does must not become two. */
function withoutWrap(rows: string): string {
  return rows === '' ? '' : `\u001B[?7l${rows}\u001B[?7h`;
}

/** Moves the cursor from the last row to its place. */
function place(cursor: Cell | undefined, count: number): string {
  if (!cursor) return '\r';
  const up = count - 1 - cursor.row;
  return `\r${up > 0 ? `\u001B[${up}A` : ''}${cursor.column > 0 ? `\u001B[${cursor.column}C` : ''}`;
}

// Synchronized output (DEC mode 2026): terminals that know it draw everything between at once; others ignore it.
const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
const HIDE = '\u001B[?25l';
const SHOW = '\u001B[?25h';
const ERASE_BELOW = '\u001B[J';
const ERASE_ROW = '\u001B[K';
