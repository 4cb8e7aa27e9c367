import { gateText } from '../../model/text/text-gate.js';

/**
 * A text of a message as Markdown that stays within its section: headings become text, open fences are closed, and no
 * HTML or image is live. Code within fences stays as it is.
 */
export function toMarkdownText(text: string): string {
  const lines = gateText(text).text.split('\n');
  const written: string[] = [];
  const copy = (from: number, end: number, write: (line: string) => string): void => {
    for (let at = from; at < end; at++) written.push(write(lines[at]!));
  };
  for (let at = 0; at < lines.length;) {
    const fence = fenceOf(lines[at]!);
    const end = fence && endOf(lines, at, fence);
    if (!fence) copy(at, at + 1, escapeLine);
    // Whether an indented one is a fence depends on the list around it: one that surely ends stays, with no HTML in it.
    else if (end !== undefined) copy(at, end, fence.indent === '' ? (line) => line : escapeLive);
    else written.push(lines[at]!.replace(fence.marks, `\\${fence.marks}`));
    const isOpen =
      fence?.indent === '' && end === lines.length && (end === at + 1 || !isClosing(lines[end - 1]!, fence));
    if (isOpen) written.push(fence.marks);
    at = end ?? at + 1;
  }
  return written.join('\n');
}

/** As a quotation, each line of it. */
export function quoteMarkdown(markdown: string): string {
  return markdown.replaceAll(/^/gmu, '> ');
}

interface Fence {
  readonly indent: string;
  /** At least three backticks or tildes. */
  readonly marks: string;
}

function fenceOf(line: string): Fence | undefined {
  const [, indent, marks] = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})/u.exec(line) ?? [];
  return indent === undefined || marks === undefined ? undefined : { indent, marks };
}

function isClosing(line: string, { marks }: Fence): boolean {
  const trimmed = line.trim();
  return /^ {0,3}[`~]/u.test(line) && trimmed.length >= marks.length && isOnly(trimmed, marks[0]!);
}

function isOnly(text: string, character: string): boolean {
  return text === character.repeat(text.length);
}

/** The line after a fence and its text; undefined for an indented one that may not end. */
function endOf(lines: readonly string[], from: number, fence: Fence): number | undefined {
  if (fence.indent !== '') return indentedEnd(lines, from, fence);
  let at = from + 1;
  while (at < lines.length && !isClosing(lines[at]!, fence)) at++;
  return Math.min(lines.length, at + 1);
}

function indentedEnd(lines: readonly string[], from: number, { indent, marks }: Fence): number | undefined {
  for (let at = from + 1; at < Math.min(lines.length, from + INDENTED_LINES); at++) {
    const line = lines[at]!;
    const trimmed = line.trim();
    if (trimmed === '') continue;
    if (!line.startsWith(indent)) return undefined;
    if (trimmed.length >= marks.length && isOnly(trimmed, marks[0]!))
      return line.trimEnd() === `${indent}${trimmed}` ? at + 1 : undefined;
  }
  return undefined;
}

function escapeLine(line: string): string {
  // A line of = or - makes a heading of the one above it.
  return escapeLive(line).replace(/^(\s{0,3})(#|=+\s*$|-+\s*$)/u, String.raw`$1\$2`);
}

/** Without HTML, and without images, which a viewer would fetch. */
export function escapeLive(line: string): string {
  return line.replaceAll(/<(?=[a-z/!?])/giu, '&lt;').replaceAll('![', String.raw`!\[`);
}

const INDENTED_LINES = 500; // of one block: looking further from each of many fences would take long
