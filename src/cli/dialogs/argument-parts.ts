import { isObject } from '../../base/json.js';
import { type DiffLine, diffLines } from '../../model/pins/line-diff.js';
import { showHidden, showInput } from '../../model/permissions/show-input.js';
import { showExact } from '../../model/show.js';

/** One argument of a call, for a person: in one line, or as a heading with lines below it. */
export type ArgumentPart =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'lines'; readonly heading: string; readonly lines: readonly DiffLine[] }
  /** The arguments that follow are not shown. */
  | { readonly kind: 'rest'; readonly count: number };

/**
 * The arguments of a call. An edit is a diff: `old_string` and `new_string`, `oldText` and `newText`, a list of such
 * pairs, or the new content of a file. `isWhole`: every argument is shown, and unchanged lines of a diff are not left
 * out.
 */
export function argumentParts(input: object, isWhole: boolean): readonly ArgumentPart[] {
  return partsOf(input, isWhole, (name, value) => {
    const edits = editsOf(value);
    if (!edits) return [toPart(name, value)];
    return edits.flatMap((edit, at): readonly ArgumentPart[] => [
      { kind: 'line', text: `${nameText(name)}, ${at + 1} of ${edits.length}:` },
      // Edits within an edit are JSON: a model could nest them without an end.
      ...partsOf(edit, isWhole, (inner, one) => [toPart(inner, one)]).map(nested),
    ]);
  });
}

function partsOf(
  input: object,
  isWhole: boolean,
  toParts: (name: string, value: unknown) => readonly ArgumentPart[],
): readonly ArgumentPart[] {
  const entries = Object.entries(input);
  const shown = entries.slice(0, isWhole ? Infinity : ARGUMENTS);
  const pair = pairOf(input);
  // A pair stands where its first text does: the other one may be among the arguments that are not shown.
  const isPaired = (name: string): boolean => name === pair?.from || name === pair?.to;
  const first = shown.find(([name]) => isPaired(name))?.[0];
  const content = pair ? undefined : contentOf(input);
  const parts = shown.flatMap(([name, value]: [string, unknown]): readonly ArgumentPart[] => {
    if (pair && name === first) return [toDiff(`${pair.from} → ${pair.to}`, pair, isWhole)];
    if (isPaired(name)) return [];
    if (name === content) return [toLines(`${nameText(name)}: the whole new text`, value as string, '+')];
    return toParts(name, value);
  });
  const count = entries.slice(shown.length).filter(([name]) => first === undefined || !isPaired(name)).length;
  return count > 0 ? [...parts, { kind: 'rest', count }] : parts;
}

/** Below the argument that it is a part of: not to be taken for an argument itself. */
function nested(part: ArgumentPart): ArgumentPart {
  if (part.kind === 'rest') return part;
  return part.kind === 'line' ? { ...part, text: `  ${part.text}` } : { ...part, heading: `  ${part.heading}` };
}

function toPart(name: string, value: unknown): ArgumentPart {
  const label = nameText(name);
  if (typeof value === 'string') {
    if (value.includes('\n')) return toLines(label, value, ' ');
    return { kind: 'line', text: `${label}: ${showHidden(JSON.stringify(cutMiddle(value, TEXT_LIMIT)))}` };
  }
  const text = showInput(value, VALUE_LIMIT);
  const oneLine = isObject(value) || Array.isArray(value) ? text.replaceAll(/\n\s*/gu, ' ') : text;
  if (!text.includes('\n') || oneLine.length <= ONE_LINE) return { kind: 'line', text: `${label}: ${oneLine}` };
  return { kind: 'lines', heading: `${label}:`, lines: text.split('\n').map((line) => ({ sign: ' ', text: line })) };
}

function toLines(label: string, text: string, sign: DiffLine['sign']): ArgumentPart {
  const lines = text.split('\n');
  return {
    kind: 'lines',
    heading: `${label}, ${countText(lines.length, 'line')}, ${countText(text.length, 'character')}:`,
    lines: shownLines(lines, sign),
  };
}

function toDiff(label: string, { before, after }: Pair, isWhole: boolean): ArgumentPart {
  const old = before.split('\n');
  if (before === after) return toSame(label, old);
  const now = after.split('\n');
  const isLarge = before.length + after.length > DIFF_LIMIT;
  const all = isLarge
    ? [...old.map((text) => ({ sign: '-' as const, text })), ...now.map((text) => ({ sign: '+' as const, text }))]
    : diffLines(before === '' ? [] : old, after === '' ? [] : now, isWhole ? Infinity : CONTEXT);
  const count = (sign: string): number => all.filter((line) => line.sign === sign).length;
  const lines = all.slice(0, LINES).map(({ sign, text }) => ({ sign, text: visible(text) }));
  const rest = all.length - lines.length;
  return {
    kind: 'lines',
    heading: `${label}: ${countText(count('-'), 'line')} removed, ${countText(count('+'), 'line')} added:`,
    lines: rest > 0 ? [...lines, { sign: '…', text: `${rest} more lines, which are not shown` }] : lines,
  };
}

/** What is no change for an edit may be one for another tool, so the text is shown. */
function toSame(label: string, lines: readonly string[]): ArgumentPart {
  return {
    kind: 'lines',
    heading: `${label}: the same text twice, ${countText(lines.length, 'line')}:`,
    lines: shownLines(lines, ' '),
  };
}

function shownLines(lines: readonly string[], sign: DiffLine['sign']): readonly DiffLine[] {
  return cutLines(lines).map((line) => ('cut' in line ? line.cut : { sign, text: visible(line.text) }));
}

/** The beginning and the end of a text, in lines. */
function cutLines(lines: readonly string[]): readonly ({ readonly text: string } | { readonly cut: DiffLine })[] {
  if (lines.length <= LINES) return lines.map(toText);
  const end = Math.floor(LINES / 4);
  const cut: DiffLine = { sign: '…', text: `${lines.length - LINES} lines, which are not shown` };
  return [...lines.slice(0, LINES - end).map(toText), { cut }, ...lines.slice(-end).map(toText)];
}

function toText(text: string): { readonly text: string } {
  return { text };
}

/** One line of a text: hidden characters are written out, and tabs can be seen. What looks like that is written out. */
function visible(line: string): string {
  const text = cutMiddle(line, TEXT_LIMIT)
    .replaceAll(/\\(?=u\{)/gu, String.raw`\u{5c}`)
    .replaceAll(TAB, String.raw`\u{2192}   `)
    .replaceAll('\t', TAB);
  return showHidden(text);
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = limit / 2;
  return `${text.slice(0, half)}… [${text.length - limit} characters not shown] …${text.slice(-half)}`;
}

interface Pair {
  readonly from: string;
  readonly to: string;
  readonly before: string;
  readonly after: string;
}

function pairOf(input: object): Pair | undefined {
  const given = input as { readonly [name: string]: unknown };
  for (const [from, to] of PAIRS) {
    if (!Object.hasOwn(given, from) || !Object.hasOwn(given, to)) continue;
    const [before, after] = [given[from], given[to]];
    if (typeof before === 'string' && typeof after === 'string') return { from, to, before, after };
  }
  return undefined;
}

/** A list of edits; undefined for any other value. */
function editsOf(value: unknown): readonly object[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > EDITS) return undefined;
  const edits: readonly unknown[] = value;
  return edits.every((one) => isObject(one) && pairOf(one) !== undefined) ? (edits as readonly object[]) : undefined;
}

/** The name of the argument that is a file's new content, where another one is the file's path. */
function contentOf(input: object): string | undefined {
  const given = input as { readonly [name: string]: unknown };
  const has = (name: string): boolean => Object.hasOwn(given, name) && typeof given[name] === 'string';
  return PATHS.some(has) ? CONTENTS.find(has) : undefined;
}

/** An argument's name; one that is not a plain word is quoted, so that it cannot look like a value. */
function nameText(name: string): string {
  return /^[\w$.-]{1,64}$/u.test(name) ? name : showExact(cutMiddle(name, NAME_LIMIT));
}

function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

const PAIRS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['search', 'replace'],
] as const;
const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename', 'uri'];
const CONTENTS = ['content', 'contents', 'file_text', 'fileText', 'newContent', 'new_content', 'text'];
const TAB = '→   ';
const ARGUMENTS = 200; // until they are unfolded
// More than a person reads before answering.
const EDITS = 50;
const LINES = 2_000;
const TEXT_LIMIT = 20_000; // characters of one line
const VALUE_LIMIT = 20_000;
const NAME_LIMIT = 200;
const ONE_LINE = 60; // characters of a list or an object that stay in one line
const DIFF_LIMIT = 400_000; // characters; comparing more would hold up the screen
const CONTEXT = 2;
