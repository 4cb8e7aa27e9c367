import { COLON, COMMA } from './json-bytes.js';

/** Whether a number, a truth value or null can have this character. */
export function isLiteral(code: number): boolean {
  return (
    (code >= 0x2b && code <= 0x3a && code !== COMMA && code !== COLON) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  );
}

export const LITERAL_LIMIT = 1024; // the longest meaningful number has about 770 digits
