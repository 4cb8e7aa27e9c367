// https://github.github.com/gfm/#tables-extension-
import { isAddress } from './markdown-address.js';
import { type Paper, renderInline } from './markdown-inline.js';
import { padText, textWidth, wrapWords } from '../text/text-width.js';

export interface MarkdownTable {
  readonly header: readonly string[];
  readonly aligns: readonly ('start' | 'end')[];
  readonly rows: readonly (readonly string[])[];
  /** Set when the beginning of the table is already written. */
  readonly begun?: Pick<TableRows, 'widths'>;
}

/** A table from its header and delimiter row; undefined when they are none. */
export function toTable(header: string, second: string): MarkdownTable | undefined {
  if (!header.includes('|') || !/^[ \t|:-]*$/u.test(second) || !second.includes('-')) return undefined;
  const names = toCells(header, COLUMNS + 1);
  const lines = toCells(second, COLUMNS + 1);
  if (names.length > COLUMNS || names.length !== lines.length) return undefined;
  if (!lines.every((cell) => /^:?-+:?$/u.test(cell))) return undefined;
  return {
    header: names,
    aligns: lines.map((cell) => (cell.endsWith(':') && !cell.startsWith(':') ? 'end' : 'start')),
    rows: [],
  };
}

/** Splits a row into cells; the last of `most` keeps the rest. */
export function toCells(line: string, most: number): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let begin = text.startsWith('|') ? 1 : 0;
  for (let at = begin; at < text.length && cells.length < most - 1; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '|') {
      cells.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  const last = text.slice(begin);
  if (last !== '') cells.push(/[^\\]\|$/u.test(last) || last === '|' ? last.slice(0, -1) : last);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export interface TableRows {
  readonly rows: readonly string[];
  /** For later rows of the table; undefined when it is drawn as a list. */
  readonly widths: readonly number[] | undefined;
}

/** Aligned rows with wrapped cells; on a narrow screen a list of `name: value`. */
export function renderTable({ header, aligns, rows, begun }: MarkdownTable, columns: number, paper: Paper): TableRows {
  const { style } = paper;
  const names = header.map((cell) => renderInline(cell, paper, { isBold: true }));
  const cells = rows.map((row) => header.map((_, at) => renderInline(row[at] ?? '', paper)));
  const natural = header.map((_, at) => widest([names, ...cells], at));
  const widths = begun ? begun.widths : toWidths(natural, columns);
  if (!widths) {
    const isEmpty = cells.length === 0 && !begun;
    const list = cells.flatMap((row, at) => toList(names, row, { columns, isFirst: at === 0 && !begun }));
    return { rows: isEmpty ? wrapWords(names.join(', '), { columns }) : list, widths };
  }
  const bar = ` ${style.dim('│')} `;
  const toRows = (row: readonly string[]): string[] => {
    const parts = row.map((cell, at) => wrapWords(cell, { columns: widths[at]! }));
    return Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, line) =>
      parts
        .map((part, at) => padText(part[line] ?? '', widths[at]!, aligns[at]))
        .join(bar)
        .trimEnd(),
    );
  };
  const head = begun ? [] : [...toRows(names), style.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'))];
  return { rows: [...head, ...cells.flatMap(toRows)], widths };
}

/** Shrinks the widest columns first; undefined when they would be too narrow to read. */
function toWidths(natural: readonly number[], columns: number): readonly number[] | undefined {
  const room = columns - BAR * (natural.length - 1);
  let most = Math.max(...natural);
  const sumOf = (limit: number): number => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  if (sumOf(most) <= room) return natural;
  let least = 0;
  while (least < most - 1) {
    const middle = (least + most) >> 1;
    if (sumOf(middle) <= room) least = middle;
    else most = middle;
  }
  return least < CELL ? undefined : natural.map((width) => Math.min(width, least));
}

function toList(
  names: readonly string[],
  row: readonly string[],
  { columns, isFirst }: { readonly columns: number; readonly isFirst: boolean },
): string[] {
  const rows = names.flatMap((name, at) =>
    row[at] === ''
      ? []
      : wrapWords(name === '' ? row[at]! : `${name}: ${row[at]}`, { columns, indent: 2, keeps: isAddress }),
  );
  return isFirst || rows.length === 0 ? rows : ['', ...rows];
}

function widest(rows: readonly (readonly string[])[], at: number): number {
  return rows.reduce((most, row) => Math.max(most, textWidth(row[at]!)), 1);
}

const COLUMNS = 64; // a line with more bars is no readable table
const BAR = 3;
const CELL = 12; // columns; narrower cells would have one word in a row
