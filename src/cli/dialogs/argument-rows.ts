import type { DiffLine } from '../../model/pins/line-diff.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Style } from '../output/style.js';
import { withoutOwnBlank } from '../session/display/quoted-rows.js';
import { wrapExact, wrapText } from '../terminal/text/text-width.js';
import { argumentParts } from './argument-parts.js';

export interface ArgumentRowsOptions {
  readonly columns: number;
  readonly style: Pick<Style, 'red' | 'green'>;
  /** Whether long values are shown whole. */
  readonly isOpen: boolean;
}

/**
 * The arguments of a call as rows. Each row of an argument begins with a bar; rows without one are Plugboard's. The
 * names of arguments follow the bar, their lines are indented: no line of a value can look like another argument.
 */
export function argumentRows(input: object, { columns, style, isOpen }: ArgumentRowsOptions): readonly string[] {
  const room = Math.max(columns, NARROWEST) - 1;
  const fold = (rows: readonly string[]): readonly string[] => {
    if (isOpen || rows.length <= FIRST + LAST + 1) return rows;
    const left = rows.length - FIRST - LAST;
    return [...rows.slice(0, FIRST), `${OURS}${left} more rows: v unfolds them`, ...rows.slice(-LAST)];
  };
  const rows = argumentParts(input, isOpen).flatMap((part): readonly string[] => {
    if (part.kind === 'rest')
      return [`${OURS}${part.count} more ${part.count === 1 ? 'argument' : 'arguments'}: v shows them`];
    if (part.kind === 'line') return fold(barred(part.text, room, 4));
    const lines = part.lines.flatMap((line) => lineRows(line, room, style));
    return [...headingRows(part.heading, room), ...fold(lines)];
  });
  return rows.length === 0 ? [`${BAR}(no arguments)`] : rows;
}

function lineRows({ sign, text }: DiffLine, room: number, style: ArgumentRowsOptions['style']): string[] {
  if (sign === '…') return [text === '' ? `${OURS}unchanged lines` : `${OURS}${text}`];
  const paint = sign === '-' ? style.red : sign === '+' ? style.green : String;
  const whole = gateLine(text).text.replace(/^↳/u, String.raw`\u{21b3}`);
  const wrapped = wrapExact(whole, room - BAR.length - INDENT.length - 2, GOES_ON.length);
  // The sign stands on every row of a long line, so that no row of it looks like an unchanged line.
  return wrapped.map((row, at) => {
    const shown = at === 0 ? row : GOES_ON + row.slice(GOES_ON.length);
    return `${BAR}${INDENT}${paint(`${sign} ${shown}`.trimEnd())}`.trimEnd();
  });
}

function barred(text: string, room: number, indent: number): string[] {
  return withoutOwnBlank(wrapExact(gateLine(text).text, room - BAR.length, indent)).map((row) => `${BAR}${row}`);
}

/** Words of Plugboard, but for a name that is quoted. */
function headingRows(heading: string, room: number): string[] {
  if (heading.includes('"')) return barred(heading, room, 4);
  return wrapText(heading, room - BAR.length, 4).map((row) => `${BAR}${row}`);
}

const BAR = '| ';
const OURS = '  … ';
const INDENT = '  ';
const GOES_ON = '↳ '; // before the other rows of a line: an indent could be of the text
const NARROWEST = 20; // columns
const FIRST = 8; // rows of a folded value: its beginning, and its end, where a trick would hide
const LAST = 4;
