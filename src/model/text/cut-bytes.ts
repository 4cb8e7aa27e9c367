/**
 * The beginning of a text, at most so many bytes of UTF-8, never cut inside a character. Where it was cut it ends in `…`, which is
 * within the bytes: whoever reads it must not take it for the whole.
 */
export function cutBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  let end = 0;
  /** What there is room for beside the mark. */
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
