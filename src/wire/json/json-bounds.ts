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
export type ParseCost = 'light' | 'heavy' | 'too-deep' | 'too-many';

/**
 * Estimates the cost of parsing a text. Uses native searches where possible: most long texts are one long string, and
 * only texts with many brackets or commas are scanned character by character.
 */
export function parseCostOf(text: string): ParseCost {
  if (text.length <= 2 * MESSAGE_DEPTH_LIMIT) return 'light';
  const openings = countUpTo(text, '{', MESSAGE_DEPTH_LIMIT + 1) + countUpTo(text, '[', MESSAGE_DEPTH_LIMIT + 1);
  const isLong = text.length >= 2 * NODES_AT_ONCE;
  if (openings <= MESSAGE_DEPTH_LIMIT && !(isLong && countUpTo(text, ',', NODES_AT_ONCE) >= NODES_AT_ONCE))
    return keyWeight(text);
  const { depth, nodes } = measure(text);
  if (depth > MESSAGE_DEPTH_LIMIT) return 'too-deep';
  if (nodes > NODE_LIMIT) return 'too-many';
  return nodes > NODES_AT_ONCE ? 'heavy' : keyWeight(text);
}

/** Heavy also with very many keys, which cost far more than other values when one object has them all. */
function keyWeight(text: string): ParseCost {
  const hasManyKeys = text.length > 4 * KEYS_AT_ONCE && countUpTo(text, '":', KEYS_AT_ONCE) >= KEYS_AT_ONCE;
  return hasManyKeys || hasManyEscapes(text) ? 'heavy' : 'light';
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

/** Depth and number of values, in one pass. The text need not be valid JSON. */
export function measure(text: string): { readonly depth: number; readonly nodes: number } {
  let depth = 0;
  let deepest = 0;
  let nodes = 1;
  // The next backslash and quote from `at` on; searched again only after `at` has passed them.
  let slash = -1;
  let quote = -1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        at++;
        for (let left = SHORT_STRING; at < text.length; at++) {
          const code = text.charCodeAt(at);
          if (code === QUOTE) break;
          if (code === BACKSLASH) at++;
          else if (left-- === 0) {
            // A long string: a native search finds its end or its next escape.
            if (slash < at) slash = orEnd(text.indexOf('\\', at), text);
            if (quote < at) quote = orEnd(text.indexOf('"', at), text);
            at = Math.min(quote, slash) - 1;
            left = SHORT_STRING;
          }
        }
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (!isClosing(text.charCodeAt(at + 1))) nodes++; // an empty container has no values
        if (++depth > deepest) deepest = depth;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
      case COMMA:
        nodes++;
        break;
      default:
    }
  }
  return { depth: deepest, nodes };
}

function orEnd(index: number, text: string): number {
  return index === -1 ? text.length : index;
}

const SHORT_STRING = 64; // characters; up to here a loop is faster than a native search
