/**
 * The beginning of a text for use in a sentence, with a mark where it was cut, so that it does not pass for the whole.
 * The mark comes on top of the length.
 */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
