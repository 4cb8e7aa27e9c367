/** The beginning of a text, at most so many bytes of UTF-8, never cut inside a character. */
export function cutBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (bytes > limit) return text.slice(0, end);
    end += character.length;
  }
  return text;
}
