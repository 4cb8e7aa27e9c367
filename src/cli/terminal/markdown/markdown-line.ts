// https://spec.commonmark.org/0.31.2/#leaf-blocks. All functions take a line without the marks of its containers.

export interface Marker {
  /** `-`, `*`, `+`, `.` or `)`; the same for all items of a list. */
  readonly sign: string;
  readonly number: number | undefined;
  /** Columns from the beginning of the line to the text of the item. */
  readonly indent: number;
  readonly isEmpty: boolean;
}

export function toHeading(line: string): { readonly level: number; readonly text: string } | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]|$)/u.exec(line);
  if (!match) return undefined;
  const text = line.slice(match[0].length).trim();
  return { level: match[1]!.length, text: text.replace(/(?:^|[ \t])#+$/u, '').trimEnd() };
}

export interface Fence {
  readonly sign: string;
  readonly length: number;
  readonly indent: number;
}

export function toFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}|~{3,})/u.exec(line);
  if (!match) return undefined;
  const sign = match[2]![0]!;
  if (sign === '`' && line.includes('`', match[0].length)) return undefined;
  return { sign, length: match[2]!.length, indent: match[1]!.length };
}

export function closesFence(line: string, { sign, length }: Fence): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u.exec(line);
  return match !== null && match[1]![0] === sign && match[1]!.length >= length;
}

/** A thematic break: `---`, `* * *` and the like. */
export function isRule(line: string): boolean {
  const first = line.trimStart()[0];
  if (first === undefined || !'-*_'.includes(first) || blanksAt(line, 0) > 3) return false;
  let count = 0;
  for (const letter of line) {
    if (letter === first) count++;
    else if (letter !== ' ' && letter !== '\t') return false;
  }
  return count >= 3;
}

/** The underline of a setext heading: makes the paragraph above a heading. */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-+)[ \t]*$/u.test(line);
}

export function toMarker(line: string): Marker | undefined {
  const match = /^( {0,3})(?:([-*+])|(\d{1,9})([.)]))( {1,4}(?! )|[ \t]|$)/u.exec(line);
  if (!match) return undefined;
  const isEmpty = line.slice(match[0].length).trim() === '';
  const width = match[0].length - match[5]!.length;
  return {
    sign: match[2] ?? match[4]!,
    number: match[3] === undefined ? undefined : Number(match[3]),
    indent: width + (isEmpty ? 1 : match[5]!.length),
    isEmpty,
  };
}

export function blanksAt(line: string, at: number): number {
  let end = at;
  while (line[end] === ' ') end++;
  return end - at;
}

/** Expands the tabs before the first word. */
export function withBlanks(line: string): string {
  if (!/^ *\t/u.test(line)) return line;
  let blanks = '';
  let at = 0;
  for (; line[at] === ' ' || line[at] === '\t'; at++) {
    blanks += line[at] === ' ' ? ' ' : ' '.repeat(TAB - (blanks.length % TAB));
  }
  return blanks + line.slice(at);
}

const TAB = 4; // in Markdown, whatever the terminal uses
