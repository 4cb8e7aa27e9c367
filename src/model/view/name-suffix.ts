import { sha256 } from '../text/sha256.js';

/** In base 32 characters: 50 bits. */
export const SUFFIX_LENGTH = 10;

/** A short, stable suffix for one (server, tool) pair, in lower case so that ignoring case makes no collisions. */
export function nameSuffix(server: string, tool: string, attempt = 0): string {
  // The leading length distinguishes ('a', 'bc') from ('ab', 'c'). Cryptographic, because with a cheap hash a hostile
  // server could construct another server's suffixed name.
  const digest = sha256(toBytes(`${attempt}:${server.length}:${server}${tool}`));
  let suffix = '';
  for (let index = 0; index < SUFFIX_LENGTH; index++) {
    const bit = index * 5;
    const word = digest[bit >>> 5]!;
    const next = digest[(bit >>> 5) + 1]!;
    const offset = bit & 31;
    const window = offset === 0 ? word : (word << offset) | (next >>> (32 - offset));
    suffix += ALPHABET[window >>> 27]!;
  }
  return suffix;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'; // without l, o, 0 and 1, which are easily misread

/** The UTF-16 units, high byte first: in UTF-8 all lone surrogates would be equal. */
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[index * 2] = unit >>> 8;
    bytes[index * 2 + 1] = unit;
  }
  return bytes;
}
