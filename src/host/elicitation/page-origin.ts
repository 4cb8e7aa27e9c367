import { parseUrl } from '../../base/parse-url.js';
import { transportKindOf, type ServerConfig } from '../../transports/kinds.js';

/**
 * Where a server is, as far as the pages go that it may name. One that was started here and runs in no sandbox is on this machine, and
 * could open a page of it by itself.
 */
export function pageOrigin(config: ServerConfig): URL | undefined {
  const kind = transportKindOf(config);
  if (kind.locality === 'local') return kind.sandboxOf?.(config) === undefined ? new URL(LOOPBACK) : undefined;
  const target = kind.target(config);
  return target.kind === 'url' ? parseUrl(target.url) : undefined;
}

const LOOPBACK = 'http://127.0.0.1/';
