import { textWidth } from '../terminal/text/text-width.js';

/**
 * Breaks a line between words to fit the screen; all but the first begin with `indent` spaces. For prose only: a
 * command to be pasted stays whole, and the terminal wraps it.
 */
export function wrapLine(line: string, columns: number, indent: number): string[] {
  if (textWidth(line) <= columns || columns < indent + NARROWEST) return [line];
  const lines: string[] = [];
  const margin = ' '.repeat(indent);
  let current = /^ */u.exec(line)![0];
  let isBegun = false;
  for (const word of line.slice(current.length).split(' ')) {
    const longer = isBegun ? `${current} ${word}` : current + word;
    // A word longer than the screen is left for the terminal to wrap.
    if (isBegun && textWidth(longer) > columns) {
      lines.push(current);
      current = margin + word;
    } else current = longer;
    isBegun = true;
  }
  return [...lines, current];
}

/** Wraps a hint, unless it may hold a command to be pasted or quotes a server. */
export function wrapHint(line: string, columns: number, indent: number): string[] {
  return /: |plugboard |^ *\| /u.test(line) ? [line] : wrapLine(line, columns, indent);
}

const NARROWEST = 20; // columns; in fewer, wrapped lines are harder to read than words broken by the terminal
