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
    if (textWidth(current) > columns && isBroken(word)) {
      const rows = wrapText(current, columns, indent);
      current = rows.pop()!;
      lines.push(...rows);
    }
  }
  return [...lines, current];
}

/**
 * A path is broken after a slash. Other words longer than the screen, such as an address, the terminal wraps, at its
 * edge: a word with blanks other than the space could look like a line of ours there, and is broken as well.
 */
function isBroken(word: string): boolean {
  return /[\u0080-\u{10ffff}]/u.test(word) || (/[/\\]/u.test(word) && !word.includes('://'));
}

/**
 * Wraps a hint between words. A command in it stays whole, so that it can be pasted: it begins a row of its own where
 * the row before has no room, and the terminal wraps one that is longer than the screen. What a server said stays, too.
 */
export function wrapHint(line: string, columns: number, indent: number): string[] {
  if (textWidth(line) <= columns || columns < indent + NARROWEST || /^ *\| /u.test(line)) return [line];
  const rows: string[] = [];
  const margin = ' '.repeat(indent);
  let current = '';
  for (const { text, isCommand } of partsOf(line)) {
    const [first = '', ...more] = isCommand ? [current + text] : wrapLine(current + text, columns, indent);
    if (isCommand && current.trim().length > 1 && textWidth(first) > columns) {
      rows.push(current.trimEnd());
      current = margin + text.trimStart();
      continue;
    }
    rows.push(...[first, ...more].slice(0, -1));
    current = [first, ...more].at(-1)!;
  }
  return [...rows, current];
}

interface HintPart {
  readonly text: string;
  readonly isCommand: boolean;
}

/** Prose and commands in turn. */
function partsOf(line: string): readonly HintPart[] {
  const parts: HintPart[] = [];
  let from = 0;
  for (const match of line.matchAll(COMMAND_START)) {
    const start = match.index + match[0].length;
    if (start < from || PROSE.test(line.slice(start))) continue;
    const end = commandEnd(line, start);
    parts.push({ text: line.slice(from, start), isCommand: false }, { text: line.slice(start, end), isCommand: true });
    from = end;
  }
  return [...parts, { text: line.slice(from), isCommand: false }].filter(({ text }) => text !== '');
}

/** Where a command ends: at a comma, a semicolon or a full stop that prose follows, and that no quotes enclose. */
function commandEnd(line: string, start: number): number {
  let quote = '';
  for (let at = start; at < line.length; at++) {
    const letter = line[at]!;
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (/^(?:[,;] |\. [A-Z])/u.test(line.slice(at, at + 3))) return at;
  }
  return line.length;
}

/** Our hints name a command at their beginning, or after a colon. The words before the colon tell of any other program. */
const COMMAND_START = new RegExp(
  String.raw`^\s*(?:\S+ )?(?=plugboard )|(?:hand|output|which|Try|waits for|once|does|flags): |: (?=(?:plugboard|npx|npm|node|python3?|pip|pipx|uvx?|docker|podman|curl|nslookup|openssl|export|unset|cd|ls|mv|rm|df|cat|sed|head|file|namei|mkdir|chmod|command|sudo|ulimit|brew|apt|apt-get|xcode-select|[A-Z_]+=\S+ plugboard)\b)`,
  'gu',
);
/** A sentence about a command: `plugboard tools shows which there are`. */
const PROSE = /^plugboard [\w-]+(?: \S+)? (?:shows|says|lists|explains|undoes)\b|^plugboard [\w-]+,/u;

const NARROWEST = 20; // columns; in fewer, wrapped lines are harder to read than words broken by the terminal
