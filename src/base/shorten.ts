/**
 * The beginning of a text that is shown within a sentence, with a mark where it was cut: whoever reads it must not take it for the
 * whole. The mark comes on top of the length.
 */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
