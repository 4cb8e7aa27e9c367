/** A text that a model reads and nobody sees: the tag block, a second ASCII. */
export function inTags(text: string): string {
  return Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('');
}
