import { isObject } from '../../base/json.js';
import type { OAuthContext } from '../oauth-context.js';
import { hostOfUrl } from './host-of.js';
import { isTransientStatus, signInFailure } from '../oauth-error.js';

/** Fetches a JSON document; undefined: there is none. Rejects when the fetch fails, or on a transient status. */
export async function readMetadata(
  url: string,
  { name, world }: { readonly name: string; readonly world: OAuthContext },
): Promise<{ readonly [field: string]: unknown } | undefined> {
  const response = await world.fetch(url, {
    headers: { accept: 'application/json', 'mcp-protocol-version': PROTOCOL_VERSION },
    ...(world.signal && { signal: world.signal }),
  });
  const { status } = response;
  if (isTransientStatus(status))
    throw signInFailure(`Server "${name}": ${hostOfUrl(url)} answered HTTP ${status} to the request for its metadata`, {
      hint: 'Try again in a moment; nothing is lost',
      isTransient: true,
    });
  if (!response.ok) return undefined;
  try {
    const value: unknown = await response.json();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // an HTML page that a site serves for every path
  }
}

const PROTOCOL_VERSION = '2025-11-25'; // the latest version in which this header selects the metadata
