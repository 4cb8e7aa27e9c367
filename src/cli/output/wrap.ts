import { textWidth, wrapText } from '../terminal/text/text-width.js';

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
    if (isBegun && textWidth(longer) > columns) {
      lines.push(current);
      current = margin + word;
    } else current = longer;
    isBegun = true;
    if (textWidth(current) > columns && isPath(word)) {
      const rows = wrapText(current, columns, indent);
      current = rows.pop()!;
      lines.push(...rows);
    }
  }
  return [...lines, current];
}

/** A path is broken after a slash. Other words longer than the screen, such as an address, the terminal wraps. */
function isPath(word: string): boolean {
  return /[/\\]/u.test(word) && !word.includes('://');
}

/** Wraps a hint, unless it may hold a command to be pasted or quotes a server. */
export function wrapHint(line: string, columns: number, indent: number): string[] {
  return /: |plugboard |^ *\| /u.test(line) ? [line] : wrapLine(line, columns, indent);
}

const NARROWEST = 20; // columns; in fewer, wrapped lines are harder to read than words broken by the terminal
