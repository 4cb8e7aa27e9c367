/** What was thrown, as a text. A program may throw what no text can be made of, such as a Proxy. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'what was thrown cannot be read';
  }
}
