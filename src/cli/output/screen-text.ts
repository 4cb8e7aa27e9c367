import type { Io } from '../io.js';
import { cutToColumns, padText, textWidth } from '../terminal/text/text-width.js';

/** Cuts text for a terminal only; a file or a pipe gets all of it. */
export function forScreen(text: string, { stdout }: Io): string {
  return stdout.isTerminal ? cutForScreen(text) : text;
}

/** Cuts text that would take minutes to scroll past on a terminal. */
export function cutForScreen(text: string): string {
  if (text.length <= SCREEN_LIMIT) return text;
  return `${text.slice(0, SCREEN_LIMIT)}\n… ${text.length - SCREEN_LIMIT} more characters; send them to a file with > FILE`;
}

/**
 * Aligned rows of a name and its description. A description is cut to the width of the screen; a name never is, because
 * it is there to be pasted: below a long one the description has a line of its own.
 */
export function toRows(
  rows: readonly (readonly [name: string, about: string, ...more: unknown[]])[],
  columns: number,
): string[] {
  const room = Math.min(NAME_COLUMN, Math.floor(columns * NAME_SHARE));
  const widths = rows.map(([name]) => textWidth(name));
  const width = widths.reduce((widest, one) => (one <= room ? Math.max(widest, one) : widest), 0);
  return rows.flatMap(([name, about], at) => {
    if (widths[at]! > width) {
      return [`  ${name}`, ...(about === '' ? [] : [cutLine(`      ${about}`, columns)])];
    }
    return [cutLine(`  ${padText(name, width)}  ${about}`.trimEnd(), columns)];
  });
}

function cutLine(line: string, columns: number): string {
  return cutToColumns(line, Math.max(columns, NARROWEST));
}

const SCREEN_LIMIT = 100_000;
const NAME_COLUMN = 44;
const NAME_SHARE = 0.6; // of the screen: the rest is for descriptions
const NARROWEST = 21;
