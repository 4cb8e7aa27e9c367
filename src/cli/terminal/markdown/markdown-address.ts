// https://spec.commonmark.org/0.31.2/#link-destination

/** The text in which the addresses of `[text](address)` are looked for. */
interface Destinations {
  readonly text: string;
  /** No address that starts before this index is complete, so none is tried again. */
  hopelessUntil: number;
}

/** Reads `(address)` or `(address "title")`, right after a bracket. */
export function readDestination(
  destinations: Destinations,
  at: number,
): { readonly url: string; readonly end: number } | undefined {
  const { text } = destinations;
  if (text[at] !== '(' || at < destinations.hopelessUntil) return undefined;
  const angled = /^\(\s?<([^<>\n]*)>\s?\)/u.exec(text.slice(at, at + ADDRESS_LIMIT));
  if (angled) return { url: angled[1]!, end: at + angled[0].length };
  let depth = 0;
  const last = Math.min(text.length, at + ADDRESS_LIMIT);
  for (let end = at; end < last; end++) {
    const letter = text[end]!;
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    else if (letter === ' ' || letter === '\n') {
      const title = /^ {1,3}(?:"[^"\n]*"|'[^'\n]*') ?\)/u.exec(text.slice(end, end + TITLE_LIMIT));
      if (title) return { url: text.slice(at + 1, end), end: end + title[0].length };
      destinations.hopelessUntil = end;
      return undefined;
    }
    if (depth === 0) return { url: text.slice(at + 1, end), end: end + 1 };
  }
  destinations.hopelessUntil = last;
  return undefined;
}

/** An address within a sentence, without the punctuation that ends the sentence. */
export function readAddress(text: string, at: number): string | undefined {
  const found = /^https?:\/\/(?:(?!\]\()[^\s<>`"\\|])+/u.exec(text.slice(at, at + ADDRESS_LIMIT))?.[0];
  if (found === undefined) return undefined;
  let end = found.length;
  while (end > 0 && isAfterwards(found, end)) end--;
  return end > SCHEME ? found.slice(0, end) : undefined;
}

/** Whether a word is an address, which is never wrapped, so that it can be copied. */
export function isAddress(word: string): boolean {
  return word.includes('://');
}

const ADDRESS_LIMIT = 2048;
const TITLE_LIMIT = 300;
const SCHEME = 'https://'.length;

function isAfterwards(found: string, end: number): boolean {
  const letter = found[end - 1]!;
  // A closing bracket is part of an address that has an opening one.
  if (letter === ')') return !found.slice(0, end).includes('(');
  return '.,;:!?*_~\'"]'.includes(letter);
}
