import { decode } from './decode.js';
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

/** Values that lie side by side in a container, all of them whole. */
export interface Siblings {
  /** Behind the last whole one: its comma, or the bracket that closes the container. */
  readonly end: number;
  /** The container ends there, too. */
  readonly isClosed: boolean;
  /** How deep they go, below the container. */
  readonly depth: number;
  readonly nodes: number;
}

/** Finds the values that are whole from here on, by their brackets, commas and quotes alone. */
export function findSiblings(bytes: Buffer, from: number): Siblings {
  let depth = 0;
  let deepest = 0;
  let nodes = 1;
  let last = from;
  let nodesToLast = 0;
  for (let at = from; at < bytes.length; at++) {
    switch (bytes[at]!) {
      case QUOTE:
        at++;
        while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (!isClosing(bytes[at + 1])) nodes++; // an empty one has nothing in it to count
        if (++depth > deepest) deepest = depth;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth-- === 0) return { end: at, isClosed: true, depth: deepest, nodes };
        break;
      case COMMA:
        nodes++;
        if (depth === 0) {
          last = at;
          nodesToLast = nodes - 1;
        }
        break;
      default:
    }
  }
  return { end: last, isClosed: false, depth: deepest, nodes: nodesToLast };
}

/** Parses them natively, in one go. Throws when they are no JSON. `replaced`: some bytes were no UTF-8. */
export function parseSiblings(bytes: Buffer, isArray: boolean): { readonly value: object; readonly replaced: boolean } {
  const { text, replaced } = decode(bytes);
  return { value: JSON.parse(isArray ? `[${text}]` : `{${text}}`) as object, replaced };
}
