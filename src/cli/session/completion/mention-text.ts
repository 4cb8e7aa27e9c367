/** `@server:uri`, as it is typed: what has blanks in it is quoted. */
export function mentionOf(server: string, uri: string): string {
  return `@${quotedMention(server)}:${quotedMention(uri)}`;
}

/** A name that could not be read back is quoted. */
export function quotedMention(word: string): string {
  return /^[^\s"'`<>()@]+$/u.test(word) ? word : `"${word}"`;
}
