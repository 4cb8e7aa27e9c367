import { hashOfSymbols } from './fingerprints.js';
import type { SymbolText } from './symbols.js';

/** In characters: what is longer is data. */
const LONGEST_NAME = 300;

/** A part of a text that may be a name: a path's folder, a URL's host, an id, a file name. */
export interface NamePiece {
  /** Hash of its symbols. */
  readonly hash: number;
  /** Index of its first symbol, and of the first one after it. */
  readonly from: number;
  readonly to: number;
}

/** Names in a text: pieces of paths, URLs and long words, and whole URLs, in the order in which they begin. */
export function namesInText(text: string, spelled: SymbolText): NamePiece[] {
  const urls: NamePiece[] = [];
  for (const { 0: url, index } of text.matchAll(URLS)) {
    const from = firstFrom(spelled.places, index);
    const to = firstFrom(spelled.places, index + url.length);
    if (to > from) urls.push({ hash: hashOfSymbols(spelled.symbols, from, to), from, to });
  }
  const pieces = namePieces(text, spelled);
  return urls.length === 0
    ? pieces
    : [...urls, ...pieces].toSorted((one, other) => one.from - other.from || other.to - one.to);
}

const URLS = /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\]{4,290}/giu;

/** The index of the first symbol at or after a place of the text. */
function firstFrom(places: Uint32Array, place: number): number {
  let from = 0;
  for (let to = places.length; from < to;) {
    const middle = (from + to) >> 1;
    if (places[middle]! < place) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The pieces of paths, URLs and long words in a text. They are told and used by every server, and say little: the guard
 * does not take them for a copy. A sentence has none, and neither has one whose blanks are replaced.
 */
function namePieces(text: string, { symbols, places }: SymbolText): NamePiece[] {
  const pieces: NamePiece[] = [];
  let next = 0;
  const indexOf = (place: number): number => {
    while (next < places.length && places[next]! < place) next++;
    return next;
  };
  for (const token of text.matchAll(TOKEN)) {
    const [word] = token;
    if (word.length < SHORTEST && !SEPARATOR.test(word)) continue;
    if (word.length > LONGEST_NAME || (UNSPACED.test(word) && !isFileName(word))) continue;
    let start = token.index;
    for (const piece of word.split(SEPARATOR)) {
      const first = indexOf(start);
      const end = indexOf(start + piece.length);
      if (end > first) pieces.push({ hash: hashOfSymbols(symbols, first, end), from: first, to: end });
      start += piece.length + 1;
    }
  }
  return pieces;
}

/** A sentence of a script without blanks is one word, and no name. */
function isFileName(word: string): boolean {
  return word.length <= LONGEST_UNSPACED && NAME_SIGN.test(word);
}

/** Chinese, Japanese, Thai, Lao, Tibetan, Burmese, Khmer. */
const UNSPACED = /[\u0e00-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]/u;
const LONGEST_UNSPACED = 60;
const NAME_SIGN = /[./\\]/u;
const TOKEN = /[^\s"'`<>()[\]{},;|?&=#]+/gu;
const SEPARATOR = /[/\\]/u;
const SHORTEST = 16;
