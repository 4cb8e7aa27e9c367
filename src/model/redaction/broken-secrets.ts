import { MASK } from '../../base/secret.js';

export interface BrokenSecrets {
  /** Masks each secret, even across line ends, which stay. `before`: the text before this one. */
  mask(text: string, before: string): string;
  /** How many characters at the end of the text may begin a secret: 0, or enough to recognise it. */
  pending(text: string): number;
  /** The length of the longest secret. */
  readonly longest: number;
}

/** Finds secrets that a terminal or a column layout has broken into lines. Contract: time is linear in the text. */
export function brokenSecrets(secrets: readonly string[]): BrokenSecrets {
  const whole = secrets.map(joined).filter((secret) => secret.length >= SHORTEST && !PATH.test(secret));
  const all = [...new Set(whole)].map((secret) => ({ secret, falls: fallsOf(secret) }));
  const longest = Math.max(0, ...all.map(({ secret }) => secret.length));
  return {
    longest,
    mask(text, before) {
      if (all.length === 0) return text;
      const start = joined(before);
      const line = start + joined(text);
      const ranges = all.flatMap(({ secret }) => occurrences(line, secret)).toSorted((a, b) => a.from - b.from);
      return ranges.length === 0 ? text : maskRanges(text, { ranges, at: start.length });
    },
    pending(text) {
      if (all.length === 0) return 0;
      // Twice the length leaves room for line ends: a broken secret has no empty lines in it.
      const end = joined(text.slice(-2 * longest));
      const length = Math.max(0, ...all.map(({ secret, falls }) => beginning(end, secret, falls)));
      return length < SHORTEST_BEGINNING ? 0 : lengthWithEnds(text, length);
    },
  };
}

const SHORTEST = 8; // shorter ones are ordinary words
/** A path's beginning, a folder, ends many ordinary lines. */
const PATH = /^(?:~|\.{0,2})(?:\/[\w.@-]+){2}/u;
/** With fewer characters nearly every line would have to wait for the next one. */
const SHORTEST_BEGINNING = 4;
const LINE_END = /[\r\n]/u;

function joined(text: string): string {
  return text.replaceAll(/[\r\n]+/gu, '');
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function occurrences(line: string, secret: string): Range[] {
  const found: Range[] = [];
  for (let from = line.indexOf(secret); from !== -1; from = line.indexOf(secret, from + secret.length))
    found.push({ from, to: from + secret.length });
  return found;
}

/** `at`: the index in the joined line where the text begins. */
function maskRanges(text: string, { ranges, at }: { readonly ranges: readonly Range[]; readonly at: number }): string {
  let result = '';
  let position = at;
  let next = 0;
  for (const piece of text.split(/([\r\n]+)/u)) {
    if (LINE_END.test(piece)) {
      result += piece;
      continue;
    }
    const end = position + piece.length;
    let from = position;
    while (next < ranges.length && ranges[next]!.from < end) {
      const range = ranges[next]!;
      if (range.to > from) {
        result += piece.slice(from - position, Math.max(from, range.from) - position) + MASK;
        from = Math.min(range.to, end);
      }
      if (range.to > end) break;
      next++;
    }
    result += piece.slice(from - position);
    position = end;
  }
  return result;
}

/** For each prefix of a text, the length of the longest proper prefix that it ends with (Knuth, Morris, Pratt). */
function fallsOf(secret: string): readonly number[] {
  const falls = [0];
  for (let at = 1, length = 0; at < secret.length; at++) {
    while (length > 0 && secret[at] !== secret[length]) length = falls[length - 1]!;
    if (secret[at] === secret[length]) length++;
    falls.push(length);
  }
  return falls;
}

/** How many characters of the secret's beginning the text ends with. */
function beginning(text: string, secret: string, falls: readonly number[]): number {
  let length = 0;
  for (const character of text.slice(-(secret.length - 1)).split('')) {
    while (length > 0 && character !== secret[length]) length = falls[length - 1]!;
    if (character === secret[length]) length++;
  }
  return length;
}

function lengthWithEnds(text: string, length: number): number {
  let rest = length;
  let at = text.length;
  while (rest > 0) if (!LINE_END.test(text[--at]!)) rest--;
  return text.length - at;
}
