// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding

/** A text as a header value: unchanged where HTTP carries it unchanged, else as marked base64. */
export function toHeaderValue(text: string): string {
  if (PLAIN.test(text) && !MARKED.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** What HTTP carries unchanged: printable, without a blank at either end. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/u;
const MARKED = /^=\?base64\?.*\?=$/u;
