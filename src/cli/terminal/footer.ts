import { textWidth } from './text/text-width.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What stands at the foot of the screen: each row fits into the width. Without a cursor it is hidden. */
export interface Frame {
  readonly rows: readonly string[];
  readonly cursor?: Cell | undefined;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/**
 * Says what to write so that a frame stands below all that was printed, and no row above it is lost. It knows where the cursor is only in
 * relation to its own first row: nobody tells it how far up the screen that is.
 */
export class Footer {
  /** Whether the terminal breaks its rows anew when it gets narrower. */
  readonly #isReflowing: boolean;
  #rows: readonly string[] = [];
  #cursor: Cell = { row: 0, column: 0 };
  #size: Size | undefined;
  #isHidden = false;

  constructor({ isReflowing }: { readonly isReflowing: boolean }) {
    this.#isReflowing = isReflowing;
  }

  /** `above`: whole lines that are printed before it. Nothing to write when nothing has changed. */
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

  /** Takes all of it away; the cursor is where it began. */
  erase(size: Size): string {
    return this.draw({ rows: [] }, { above: '', size });
  }

  /** Something else was on the screen meanwhile: the cursor is at the beginning of a row that nothing stands below. */
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

  /** Only rows that are not there already. */
  #drawChanges({ rows, cursor }: Frame): string {
    const before = this.#rows;
    const { columns } = this.#size ?? { columns: 0 };
    const drawn: string[] = [];
    let isAtStart = true;
    for (const [at, row] of rows.entries()) {
      const isThere = row === before[at];
      // What reaches the last column leaves nothing to erase, and some terminals would erase its last letter.
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

  /** Of the screen: after the width has changed, the terminal may have broken each row into several. */
  #rowsTaken(columns: number): { readonly above: number; readonly all: number } {
    const { row, column } = this.#cursor;
    if (!this.#isReflowing || this.#size === undefined || columns >= this.#size.columns) {
      return { above: row, all: this.#rows.length };
    }
    const counts = this.#rows.map((text) => Math.max(Math.ceil(textWidth(text) / columns), 1));
    // A cursor after the last letter of a row that is full now stays beside it.
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

/** From the first of them on. Not by one sequence: for tmux that is a screen full of text to keep, if it begins in the corner. */
function eraseRows(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ERASE_ROW : `${ERASE_ROW}\r\n${ERASE_BELOW}\u001B[A`;
}

/** A row whose width the terminal sees otherwise than we do must not become two. */
function withoutWrap(rows: string): string {
  return rows === '' ? '' : `\u001B[?7l${rows}\u001B[?7h`;
}

/** From the last row to where the cursor belongs. */
function place(cursor: Cell | undefined, count: number): string {
  if (!cursor) return '\r';
  const up = count - 1 - cursor.row;
  return `\r${up > 0 ? `\u001B[${up}A` : ''}${cursor.column > 0 ? `\u001B[${cursor.column}C` : ''}`;
}

// Terminals that know it draw all that stands between at once; the others do not mind.
const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
const HIDE = '\u001B[?25l';
const SHOW = '\u001B[?25h';
const ERASE_BELOW = '\u001B[J';
const ERASE_ROW = '\u001B[K';
