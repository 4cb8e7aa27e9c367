import type { StatusTone } from '../../actions/servers/server-status.js';
import { cutToColumns, padText, textWidth } from '../terminal/text/text-width.js';
import type { Style } from './style.js';

/** One server of the table: cells that are ready to be shown. */
export interface ServerRow {
  readonly glyph: string;
  readonly name: string;
  readonly state: string;
  readonly tone: StatusTone;
  readonly transport: string;
  readonly scope: string;
  readonly protocol: string;
  readonly tools: string;
  readonly prompts: string;
  readonly resources: string;
  readonly ms: string;
  /** What helps, as a verb and as a whole command. */
  readonly next: { readonly word: string; readonly command: string } | undefined;
}

export interface TableOptions {
  readonly style: Pick<Style, 'red' | 'green' | 'yellow' | 'dim'>;
  /** Width of the screen; Infinity for a file or a pipe. */
  readonly columns: number;
}

/**
 * A heading and one line for each server, aligned. Where the screen is too narrow, columns are left out by their worth;
 * names are cut only when nothing else is left to leave out.
 */
export function serverTable(rows: readonly ServerRow[], { style, columns }: TableOptions): string[] {
  const shown = fit(
    layouts.map((layout) => layout.map((column) => measure(column, rows))),
    columns,
  );
  const room = columns - widthOf(shown) + shown[NAME_AT]!.width;
  const fitted = shown.map((column, at) =>
    at === NAME_AT ? { ...column, width: Math.min(column.width, Math.max(room, NAME_LEAST)) } : column,
  );
  const line = (cells: readonly string[]): string => cutToColumns(cells.join(GAP).trimEnd(), columns);
  const heading = fitted.map(({ title, width, align }) => padText(title, width, align));
  return [
    style.dim(line([joinMark(' ', heading[0]!), ...heading.slice(1)])),
    ...rows.map((row) => {
      const paint = COLOURS[row.tone] === undefined ? String : style[COLOURS[row.tone]!];
      const cells = fitted.map((column) => {
        const text = cutToColumns(column.cell(row), column.width);
        return padText(column === fitted[STATE_AT] ? paint(text) : text, column.width, column.align);
      });
      return line([joinMark(paint(row.glyph), cells[0]!), ...cells.slice(1)]);
    }),
  ];
}

interface Column {
  readonly title: string;
  readonly align?: 'start' | 'end';
  readonly cell: (row: ServerRow) => string;
}

interface MeasuredColumn extends Column {
  readonly width: number;
}

const NEXT_COMMAND: Column = { title: 'NEXT', cell: ({ next }) => next?.command ?? '' };
const NEXT_WORD: Column = { title: 'NEXT', cell: ({ next }) => next?.word ?? '' };
const NAME: Column = { title: 'NAME', cell: ({ name }) => name };
const STATE: Column = { title: 'STATE', cell: ({ state }) => state };
const TRANSPORT: Column = { title: 'TRANSPORT', cell: ({ transport }) => transport };
const SCOPE: Column = { title: 'SCOPE', cell: ({ scope }) => scope };
const PROTOCOL: Column = { title: 'PROTOCOL', cell: ({ protocol }) => protocol };
const TOOLS: Column = { title: 'TOOLS', align: 'end', cell: ({ tools }) => tools };
const PROMPTS: Column = { title: 'PROMPTS', align: 'end', cell: ({ prompts }) => prompts };
const RESOURCES: Column = { title: 'RESOURCES', align: 'end', cell: ({ resources }) => resources };
/** All three counts in the room of one: 80 columns hold no three titles besides the others. */
const COUNTS: Column = { title: 'T/P/R', align: 'end', cell: countsText };
const MS: Column = { title: 'MS', align: 'end', cell: ({ ms }) => ms };

const [NAME_AT, STATE_AT] = [0, 1];

/** From the widest to the narrowest; the first that fits is taken. */
const layouts: readonly (readonly Column[])[] = [
  [NAME, STATE, TRANSPORT, SCOPE, PROTOCOL, TOOLS, PROMPTS, RESOURCES, MS, NEXT_COMMAND],
  [NAME, STATE, TRANSPORT, SCOPE, PROTOCOL, TOOLS, PROMPTS, RESOURCES, MS, NEXT_WORD],
  [NAME, STATE, TRANSPORT, SCOPE, PROTOCOL, COUNTS, MS, NEXT_COMMAND],
  [NAME, STATE, TRANSPORT, SCOPE, PROTOCOL, COUNTS, MS, NEXT_WORD],
  [NAME, STATE, TRANSPORT, SCOPE, COUNTS, MS, NEXT_WORD],
  [NAME, STATE, TRANSPORT, SCOPE, COUNTS, NEXT_WORD],
  [NAME, STATE, SCOPE, TOOLS, NEXT_WORD],
  [NAME, STATE, TOOLS, NEXT_WORD],
  [NAME, STATE, NEXT_WORD],
  [NAME, STATE],
];

/** `12/3/5`: tools, prompts, resources. One dash where none of them is known. */
function countsText({ tools, prompts, resources }: ServerRow): string {
  const counts = [tools, prompts, resources];
  return counts.every((count) => count === tools && !/\d/u.test(count)) ? tools : counts.join('/');
}

function measure(column: Column, rows: readonly ServerRow[]): MeasuredColumn {
  const widest = rows.reduce((most, row) => Math.max(most, textWidth(column.cell(row))), 0);
  // A column that says nothing about any server is left out.
  return { ...column, width: widest === 0 ? 0 : Math.max(widest, textWidth(column.title)) };
}

function fit(all: readonly (readonly MeasuredColumn[])[], columns: number): readonly MeasuredColumn[] {
  const told = all.map((layout) => layout.filter(({ width }) => width > 0));
  return told.find((layout) => widthOf(layout) <= columns) ?? told.at(-1)!;
}

function widthOf(layout: readonly MeasuredColumn[]): number {
  return layout.reduce((sum, { width }) => sum + width, MARK_WIDTH + GAP.length * (layout.length - 1));
}

function joinMark(glyph: string, name: string): string {
  return `${padText(glyph, 1)} ${name}`;
}

const GAP = '  ';
const MARK_WIDTH = 2; // the glyph and a blank
const NAME_LEAST = 8;

const COLOURS: Readonly<Record<StatusTone, 'green' | 'yellow' | 'red' | undefined>> = {
  good: 'green',
  waiting: 'yellow',
  bad: 'red',
  quiet: undefined,
};
