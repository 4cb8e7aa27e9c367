import { hashOfSymbols } from './fingerprints.js';
import type { SymbolText } from './symbols.js';

/** In characters: what is longer is data. */
export const LONGEST_NAME = 300;

/** A part of a text that may be a name: a path's folder, a URL's host, an id, a file name. */
export interface NamePiece {
  /** Hash of its symbols. */
  readonly hash: number;
  /** Index of its first symbol, and of the first one after it. */
  readonly from: number;
  readonly to: number;
}

/**
 * The pieces of paths, URLs and long words in a text. They are told and used by every server, and say little: the guard
 * does not take them for a copy. A sentence has none, and neither has one whose blanks are replaced.
 */
export function namePieces(text: string, { symbols, places }: SymbolText, from = 0, to = text.length): NamePiece[] {
  const pieces: NamePiece[] = [];
  let next = 0;
  const indexOf = (place: number): number => {
    while (next < places.length && places[next]! < place) next++;
    return next;
  };
  if (from > 0) next = firstFrom(places, from);
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token && token.index < to; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word.length < SHORTEST && !SEPARATOR.test(word)) continue;
    if (word.length > LONGEST_NAME) continue;
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

/** The index of the first symbol at or after a place of the text. */
export function firstFrom(places: Uint32Array, place: number): number {
  let from = 0;
  for (let to = places.length; from < to;) {
    const middle = (from + to) >> 1;
    if (places[middle]! < place) from = middle + 1;
    else to = middle;
  }
  return from;
}

const TOKEN = /[^\s"'`<>()[\]{},;|?&=#]+/gu;
const SEPARATOR = /[/\\]/u;
const SHORTEST = 16;
