import { textWidth } from '../terminal/text/text-width.js';

/**
 * A line in as many as a screen needs, broken between words; those after the first begin with `indent` spaces. For what
 * is read: a command to be pasted stays in one piece, for the terminal to break.
 */
export function wrapLine(line: string, columns: number, indent: number): string[] {
  if (textWidth(line) <= columns || columns < indent + NARROWEST) return [line];
  const lines: string[] = [];
  const margin = ' '.repeat(indent);
  let current = /^ */u.exec(line)![0];
  let isBegun = false;
  for (const word of line.slice(current.length).split(' ')) {
    const longer = isBegun ? `${current} ${word}` : current + word;
    // A word that is longer than the screen is the terminal's to break.
    if (isBegun && textWidth(longer) > columns) {
      lines.push(current);
      current = margin + word;
    } else current = longer;
    isBegun = true;
  }
  return [...lines, current];
}

/** A next step. One that may hold a command to be pasted stays in one piece, and so does what a server has said. */
export function wrapHint(line: string, columns: number, indent: number): string[] {
  return /: |plugboard |^ *\| /u.test(line) ? [line] : wrapLine(line, columns, indent);
}

const NARROWEST = 20; // columns; in fewer, broken lines are harder to read than cut words
