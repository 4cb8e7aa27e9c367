/**
 * The beginning of a text, at most `limit` bytes of UTF-8, never cut inside a character. A truncated text ends in `…`,
 * which counts, so that it is not taken for the whole.
 */
export function cutBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  let end = 0;
  /** The end of what fits together with the mark. */
  let marked = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (bytes > limit) return limit < MARK_BYTES ? text.slice(0, end) : `${text.slice(0, marked)}…`;
    end += character.length;
    if (bytes <= limit - MARK_BYTES) marked = end;
  }
  return text;
}

const MARK_BYTES = 3;
