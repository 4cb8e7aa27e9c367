import type { ToldPart, ToldValue } from '../../actions/told.js';
import { dayText } from '../../actions/value/day-text.js';
import { tokenText } from '../panel/tokens/token-text.js';
import { cutMiddle, padText, textWidth } from '../terminal/text/text-width.js';
import type { Style } from './style.js';

export interface ValueTableOptions {
  readonly style: Pick<Style, 'dim' | 'yellow' | 'red'>;
  /** Width of the screen; Infinity for a file or a pipe. */
  readonly columns: number;
}

/** A heading and a line for each server or tool, aligned. Where the screen is too narrow, columns are left out. */
export function valueTable(
  { of, values }: Extract<ToldPart, { readonly kind: 'values' }>,
  { style, columns }: ValueTableOptions,
): string[] {
  const widest = Math.max(of.length, ...values.map(({ name }) => textWidth(name)));
  const measured = COLUMNS.map((column) => ({
    ...column,
    cells: values.map((value) => column.cell(value)),
  })).filter(({ cells }) => cells.some((cell) => cell !== ''));
  const all = measured.map((column) => ({
    ...column,
    width: Math.max(column.title.length, ...column.cells.map((cell) => cell.length)),
  }));
  const least = columns < NARROW ? NAME_LEAST : NAME_WIDE;
  const shown = fit(all, columns - Math.min(widest, least));
  const room = columns - shown.reduce((sum, { width }) => sum + GAP.length + width, 0);
  const wide = Math.min(widest, Math.max(room, least));
  const heading = shown.map(({ title, width }) => title.padStart(width));
  return [
    style.dim([padText(of.toUpperCase(), wide), ...heading].join(GAP)),
    ...values.map((value, at) => {
      const name = padText(cutMiddle(value.name, wide), wide);
      const cells = shown.map(({ cells: texts, width, isBad }) => {
        const cell = texts[at]!.padStart(width);
        return isBad?.(value) === true ? style.red(cell) : cell;
      });
      return [value.isCostly ? style.yellow(name) : name, ...cells].join(GAP);
    }),
  ];
}

interface Column {
  readonly title: string;
  /** Those with the highest are left out first. */
  readonly rank: number;
  readonly cell: (value: ToldValue) => string;
  readonly isBad?: (value: ToldValue) => boolean;
}

const COLUMNS: readonly Column[] = [
  { title: 'PER TURN', rank: 1, cell: ({ turn }) => (turn === undefined ? '-' : tokenText(turn)) },
  { title: 'TURNS', rank: 4, cell: ({ toldTurns }) => String(toldTurns) },
  { title: 'CALLS', rank: 2, cell: ({ calls }) => String(calls) },
  {
    title: 'ERRORS',
    rank: 3,
    cell: ({ errors }) => String(errors),
    isBad: ({ errors, calls }) => errors > 0 && 2 * errors > calls,
  },
  { title: 'RESULTS', rank: 5, cell: ({ results }) => tokenText(results) },
  { title: 'TIME', rank: 7, cell: ({ ms }) => timeText(ms) },
  { title: 'BREAKS', rank: 8, cell: ({ breaks }) => (breaks === undefined ? '' : String(breaks)) },
  { title: 'LAST USED', rank: 6, cell: ({ lastUsed }) => (lastUsed === undefined ? '-' : dayText(lastUsed)) },
];

type Measured = Column & { readonly width: number; readonly cells: readonly string[] };

function fit(all: readonly Measured[], room: number): readonly Measured[] {
  let shown = all;
  const widthOf = (): number => shown.reduce((sum, { width }) => sum + GAP.length + width, 0);
  while (shown.length > 1 && widthOf() > room) {
    const last = Math.max(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== last);
  }
  return shown;
}

/** `340 ms`, `12.4 s`, `3 min`, `5.2 h`. */
function timeText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

const GAP = '  ';
const NARROW = 60; // columns
const NAME_LEAST = 12;
const NAME_WIDE = 24;
