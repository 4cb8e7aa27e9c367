import { unreachable } from '../base/never.js';
import { canonicalUrl } from '../model/canonical-url.js';
import type { Target } from '../transports/kind.js';

/** Equal signatures mean the same server, whatever it is called. */
export function signatureOf(target: Target): string {
  switch (target.kind) {
    case 'command':
      return `stdio:${JSON.stringify(target.argv)}`;
    case 'url':
      return `url:${serverUrlOf(target.url)}`;
    case 'embedded':
      return `sdk:${target.name}`;
    default:
      return unreachable(target);
  }
}

/** The server's own address: a proxy carries it in its `mcp_url` parameter. Not a URL: the text itself. */
export function serverUrlOf(text: string): string {
  const url = parseUrl(text);
  if (!url) return text;
  const wrapped = url.searchParams.get('mcp_url');
  const inner = wrapped === null ? undefined : parseUrl(wrapped);
  return canonicalUrl(inner ?? url);
}

export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
