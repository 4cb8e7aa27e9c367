import type { Io } from '../io.js';

/** Cuts text for a terminal only; a file or a pipe gets all of it. */
export function forScreen(text: string, { stdout }: Io): string {
  return stdout.isTerminal ? cutForScreen(text) : text;
}

/** Cuts text that would take minutes to scroll past on a terminal. */
export function cutForScreen(text: string): string {
  if (text.length <= SCREEN_LIMIT) return text;
  return `${text.slice(0, SCREEN_LIMIT)}\n… ${text.length - SCREEN_LIMIT} more characters; send them to a file with > FILE`;
}

/** Aligned rows of a name and its description, each cut to the width of the screen. */
export function toRows(
  rows: readonly (readonly [name: string, about: string, ...more: unknown[]])[],
  columns: number,
): string[] {
  const width = Math.min(Math.max(0, ...rows.map(([name]) => name.length)), NAME_COLUMN);
  return rows.map(([name, about]) => {
    const line = `  ${name.padEnd(width)}  ${about}`.trimEnd();
    return line.length <= columns ? line : `${line.slice(0, Math.max(columns - 1, 20))}…`;
  });
}

const SCREEN_LIMIT = 100_000;
const NAME_COLUMN = 44;
