/**
 * Headers that say where a request goes, or how its bytes travel, instead of what is asked for: whoever sets one can lead a request, and
 * what says who we are with it, to another server behind the same address. Fields of one connection and framing:
 * https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1; those that common proxies take for the place itself.
 */
export function isConnectionHeader(name: string): boolean {
  const header = name.trim().toLowerCase();
  return header.startsWith(':') || header.startsWith('proxy-') || NAMES.has(header);
}

/** Whether it is the one header of them that a user may have a reason to set. */
export function isHost(name: string): boolean {
  return name.trim().toLowerCase() === 'host';
}

/** By which HTTP itself says where a message ends and what becomes of its connection: nobody else's to set. */
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
