import { sha256Hex } from '../../model/text/sha256.js';

/** SHA-256 in hex. Hashes short texts without `node:crypto`, whose 4 ms to load exceed all hashing at a start. */
export function digest(text: string): string {
  return text.length <= SHORT ? sha256Hex(text) : digestMany(text);
}

/** Like `digest`, always by `node:crypto`: for callers with thousands of texts. */
export function digestMany(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text);
}

const SHORT = 2_000;
