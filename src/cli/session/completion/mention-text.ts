/** `@server:uri` as it is typed: parts with blanks are quoted. */
export function mentionOf(server: string, uri: string): string {
  return `@${quotedMention(server)}:${quotedMention(uri)}`;
}

/** Quotes a name that could not be parsed back otherwise. */
export function quotedMention(word: string): string {
  return /^[^\s"'`<>()@]+$/u.test(word) ? word : `"${word}"`;
}
