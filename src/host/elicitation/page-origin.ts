import { parseUrl } from '../../base/parse-url.js';
import { transportKindOf, type ServerConfig } from '../../transports/kinds.js';

/**
 * The origin of a server, for the URL gate. A local server without a sandbox counts as loopback: it could open a page
 * of this machine itself.
 */
export function pageOrigin(config: ServerConfig): URL | undefined {
  const kind = transportKindOf(config);
  if (kind.locality === 'local') return kind.sandboxOf?.(config) === undefined ? new URL(LOOPBACK) : undefined;
  const target = kind.target(config);
  return target.kind === 'url' ? parseUrl(target.url) : undefined;
}

const LOOPBACK = 'http://127.0.0.1/';
