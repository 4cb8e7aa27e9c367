import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isClosing,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';

/** Bounds of one message. Not far beyond this depth JSON.stringify and most printers overflow the stack. */
export const MESSAGE_DEPTH_LIMIT = 512;
export const NODE_LIMIT = 1_000_000;
/** What a value costs in memory besides its bytes, where a bound counts memory. */
export const NODE_COST = 32;
/** Bounds of one JSON.parse call: beyond, it blocks the event loop noticeably. */
export const NODES_AT_ONCE = 200_000;
export const BYTES_AT_ONCE = 4_000_000;

/** `light`: parse with one JSON.parse. `heavy`: within bounds, parse in slices. Others: refuse. */
export type ParseWeight = 'light' | 'heavy' | 'too-deep' | 'too-many';

export interface ParseCost {
  readonly weight: ParseWeight;
  /** Where a heavy text can be cut. */
  readonly list?: ListCuts | undefined;
}

/**
 * Estimates the cost of parsing a text. Uses native searches where possible: most long texts are one long string, and
 * only texts with many brackets or commas are scanned character by character.
 */
export function parseCostOf(text: string): ParseCost {
  if (text.length <= 2 * MESSAGE_DEPTH_LIMIT) return LIGHT;
  const openings = countUpTo(text, '{', MESSAGE_DEPTH_LIMIT + 1) + countUpTo(text, '[', MESSAGE_DEPTH_LIMIT + 1);
  const isLong = text.length >= 2 * NODES_AT_ONCE;
  if (openings <= MESSAGE_DEPTH_LIMIT && !(isLong && countUpTo(text, ',', NODES_AT_ONCE) >= NODES_AT_ONCE))
    return hasManyKeys(text) ? HEAVY : LIGHT;
  const { depth, nodes, list } = measure(text);
  if (depth > MESSAGE_DEPTH_LIMIT) return TOO_DEEP;
  if (nodes > NODE_LIMIT) return TOO_MANY;
  // In pieces a list is parsed as fast as at once, so that its keys need not be counted.
  return list || nodes > NODES_AT_ONCE || hasManyKeys(text) ? { weight: 'heavy', list } : LIGHT;
}

const LIGHT: ParseCost = { weight: 'light' };
const HEAVY: ParseCost = { weight: 'heavy' };
const TOO_DEEP: ParseCost = { weight: 'too-deep' };
const TOO_MANY: ParseCost = { weight: 'too-many' };

/** Very many keys cost far more than other values when one object has them all. */
function hasManyKeys(text: string): boolean {
  const isLong = text.length > 4 * KEYS_AT_ONCE;
  return (isLong && countUpTo(text, '":', KEYS_AT_ONCE) >= KEYS_AT_ONCE) || hasManyEscapes(text);
}

/** Many escaped strings are costly too; a single long one is cheap. */
function hasManyEscapes(text: string): boolean {
  return (
    text.length > 8 * ESCAPED_AT_ONCE &&
    countUpTo(text, ',"', ESCAPED_AT_ONCE) >= ESCAPED_AT_ONCE &&
    countUpTo(text, '\\', ESCAPED_AT_ONCE) >= ESCAPED_AT_ONCE
  );
}

const KEYS_AT_ONCE = 20_000;
const ESCAPED_AT_ONCE = 40_000;

function countUpTo(text: string, mark: string, enough: number): number {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1 && count < enough; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

/** Where a text with a long list can be cut. */
export interface ListCuts {
  /** Indexes of commas between items of the list: the first is in what comes with the list's beginning. */
  readonly cuts: readonly number[];
  /** Index of the bracket that closes the list. */
  readonly end: number;
}

export interface Measured {
  readonly depth: number;
  readonly nodes: number;
  /** For a response with one long list in its result, whose items are not too large. */
  readonly list?: ListCuts;
}

/** Depth and number of values, in one pass. The text need not be valid JSON. */
export function measure(text: string): Measured {
  const { length } = text;
  let depth = 0;
  let deepest = 0;
  let nodes = 1;
  // The next backslash from `at` on; searched again only after `at` has passed it.
  let slash = -1;
  const cuts: number[] = [];
  let nextCut = PIECE;
  let end = -1;
  let isList = false;
  for (let at = 0; at < length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        // A native search: strings are most of a text, and a loop takes four times as long.
        if (slash <= at) slash = orEnd(text.indexOf('\\', at + 1), text);
        const quote = orEnd(text.indexOf('"', at + 1), text);
        at = quote < slash ? quote : endOfEscaped(text, slash);
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (!isClosing(text.charCodeAt(at + 1))) nodes++; // an empty container has no values
        if (++depth > deepest) deepest = depth;
        if (depth === LIST_DEPTH) isList = text.charCodeAt(at) === OPEN_BRACKET;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth-- === LIST_DEPTH && cuts.length > 0 && end === -1) {
          end = at;
          nextCut = Infinity;
        }
        break;
      case COMMA:
        nodes++;
        if (depth === LIST_DEPTH && at >= nextCut && isList) {
          cuts.push(at);
          nextCut = at + PIECE;
        }
        break;
      default:
    }
  }
  const isCut = end !== -1 && areSmall([0, ...cuts, end]) && length - end < 2 * PIECE;
  return { depth: deepest, nodes, ...(isCut && { list: { cuts, end } }) };
}

/** The end of a string from its first escape on. Visits each character, because escapes often come close together. */
function endOfEscaped(text: string, from: number): number {
  let at = from;
  // The next ones from `at` on; searched again only after `at` has passed them.
  let slash = -1;
  let quote = -1;
  for (let left = SHORT_STRING; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) {
      at++;
      left = SHORT_STRING;
    } else if (left-- === 0) {
      if (slash < at) slash = orEnd(text.indexOf('\\', at), text);
      if (quote < at) quote = orEnd(text.indexOf('"', at), text);
      if (quote <= slash) return quote;
      at = slash - 1;
      left = SHORT_STRING;
    }
  }
  return at;
}

function areSmall(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || place - places[index - 1]! < 2 * PIECE);
}

function orEnd(index: number, text: string): number {
  return index === -1 ? text.length : index;
}

const SHORT_STRING = 64; // characters; up to here a loop is faster than a native search
const LIST_DEPTH = 3; // of an array in the result of a message
const PIECE = 131_072; // characters
