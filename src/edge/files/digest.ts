import { sha256Hex } from '../../model/text/sha256.js';

/** SHA-256 in hex. Of short texts without node:crypto, which takes 4 ms to load: more than what is hashed at a start. */
export function digest(text: string): string {
  return text.length <= SHORT ? sha256Hex(text) : digestMany(text);
}

/** The same for whoever has thousands of them. */
export function digestMany(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text);
}

const SHORT = 2_000;
