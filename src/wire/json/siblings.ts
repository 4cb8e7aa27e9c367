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

/** Adjacent complete values of one container. */
export interface Siblings {
  /** The index after the last complete value: of its comma, or of the bracket that closes the container. */
  readonly end: number;
  /** The container is closed at `end`. */
  readonly isClosed: boolean;
  /** Their nesting depth below the container. */
  readonly depth: number;
  readonly nodes: number;
}

/** Finds the complete values from here on, by brackets, commas and quotes only. */
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
        if (!isEmptyAt(bytes, at)) nodes++;
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

/** Whether the container that opens here has no values, also where there is space in it. */
function isEmptyAt(bytes: Buffer, opening: number): boolean {
  let at = opening + 1;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return isClosing(bytes[at]);
}

/** Parses the values natively at once. Throws when they are not JSON. `replaced`: some bytes were invalid UTF-8. */
export function parseSiblings(bytes: Buffer, isArray: boolean): { readonly value: object; readonly replaced: boolean } {
  const { text, replaced } = decode(bytes);
  return { value: JSON.parse(isArray ? `[${text}]` : `{${text}}`) as object, replaced };
}
