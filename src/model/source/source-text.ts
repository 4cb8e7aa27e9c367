// Text of a server as data of a TypeScript or JavaScript source file. What a server says may end a comment or a string,
// look like another letter, or be a directive of a compiler: here it becomes a string literal or a comment, no code.
import { gateText } from '../text/text-gate.js';

/** A string literal. Everything but visible ASCII, letters and digits is escaped: nothing hides in a source file. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replaceAll(/[^\x20-\x7e\p{L}\p{N}]/gu, toEscape);
}

/** JSON for a screen, indented: valid JSON, with every invisible character escaped. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replaceAll(/[^\n\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu, toEscape);
}

function toEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** A documentation comment in lines, each indented; none for an empty text. */
export function docComment(text: string, indent: string): string[] {
  const lines = commentLines(text);
  if (lines.length === 0) return [];
  const [only = ''] = lines;
  if (lines.length === 1 && only.length <= ONE_LINE) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

function commentLines(text: string): string[] {
  const lines = gateText(text, { limit: COMMENT_LIMIT }).text.trim().split('\n');
  const kept = lines.length > COMMENT_LINES ? [...lines.slice(0, COMMENT_LINES), '…'] : lines;
  return kept.join('').trim() === '' ? [] : kept.map((line) => quietLine(line.trimEnd()));
}

/** A line that ends no comment, and in which no tag (`@deprecated`) or directive (`@ts-ignore`) is read. */
function quietLine(line: string): string {
  return line
    .replaceAll('*/', '*\\/')
    .replaceAll('/*', '/\\*')
    .replaceAll(/(?<![\w.])@/gu, '\\@')
    .replaceAll(/[\u2028\u2029]/gu, ' ');
}

const COMMENT_LIMIT = 2_000; // characters; a reader of source needs no more of a description
const COMMENT_LINES = 40;
const ONE_LINE = 100; // characters; a longer comment has lines of its own

/** Whether a word can stand for itself as the name of a property, and means nothing else there. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/u.test(name) && !SPECIAL_NAMES.has(name);
}

/** Property names that an engine or a compiler treats in a way of its own. */
const SPECIAL_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype', 'new', 'get', 'set']);

/** The name of a property in a type or a signature. */
export function propertyName(name: string): string {
  return isPlainName(name) ? name : stringLiteral(name);
}

/**
 * Makes identifiers of a server's names: ASCII letters and digits only, no name twice. `taken`: names that the source
 * uses itself.
 */
export class Identifiers {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(Array.from(taken, (name) => name.toLowerCase()));
  }

  /** `create_issue` becomes createIssue, or CreateIssue; `otherwise` for a name without a letter. */
  add(name: string, options: IdentifierOptions): string {
    const base = toIdentifier(name, options);
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? base : options.style === 'kebab' ? `${base}-${count}` : `${base}${count}`;
      if (this.#taken.has(candidate.toLowerCase())) continue;
      this.#taken.add(candidate.toLowerCase());
      return candidate;
    }
  }

  /** An identifier for each of these names. A name that is an identifier itself keeps it, wherever it stands. */
  addAll(names: readonly string[], options: IdentifierOptions): readonly string[] {
    const isExact = (at: number): boolean => toIdentifier(names[at]!, options) === names[at];
    const places = [...names.keys()];
    const ordered = [...places.filter(isExact), ...places.filter((at) => !isExact(at))];
    const made = new Map(ordered.map((at) => [at, this.add(names[at]!, options)]));
    return places.map((at) => made.get(at)!);
  }
}

function toIdentifier(name: string, { style, otherwise }: IdentifierOptions): string {
  const words = name.slice(0, NAME_LIMIT).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/gu) ?? [];
  const joined = joinWords(words, style);
  return /^[A-Za-z]/u.test(joined) ? joined : joinWords([otherwise, ...words], style);
}

export interface IdentifierOptions {
  readonly style: 'camel' | 'pascal' | 'kebab';
  readonly otherwise: string;
}

function joinWords(words: readonly string[], style: IdentifierOptions['style']): string {
  const lower = words.map((word) => word.toLowerCase());
  if (style === 'kebab') return lower.join('-');
  const capital = lower.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return style === 'pascal' ? capital : capital.charAt(0).toLowerCase() + capital.slice(1);
}

const NAME_LIMIT = 80; // characters; longer names make source unreadable
