/**
 * Whether a header decides where a request goes or how its bytes are framed. A repository or helper that sets one could
 * route a request, with its credentials, to another server behind the same address. The list: connection and framing
 * fields (https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1) and those that common proxies route by.
 */
export function isConnectionHeader(name: string): boolean {
  const header = name.trim().toLowerCase();
  return header.startsWith(':') || header.startsWith('proxy-') || NAMES.has(header);
}

/** The one connection header that a user may have a reason to set. */
export function isHost(name: string): boolean {
  return name.trim().toLowerCase() === 'host';
}

/** Headers by which HTTP itself delimits messages and manages connections: only the HTTP client may set them. */
export const FRAMING_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
];

const NAMES: ReadonlySet<string> = new Set([
  ...FRAMING_HEADERS,
  'alt-used',
  'content-encoding',
  'forwarded',
  'host',
  'http2-settings',
  'trailer',
  'trailers',
  'via',
  'x-forwarded-host',
  'x-forwarded-server',
  'x-host',
  'x-http-host-override',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
]);
