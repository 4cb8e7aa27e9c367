/** Character codes of JSON's syntax. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export function isOpening(code: number | undefined): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

export function isClosing(code: number | undefined): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}
