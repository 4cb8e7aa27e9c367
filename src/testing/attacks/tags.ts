/** `text` in Unicode tag characters, a copy of ASCII that a model reads and a person does not see. */
export function inTags(text: string): string {
  return Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('');
}
