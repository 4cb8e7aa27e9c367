import { isObject } from '../../base/json.js';
import type { OAuthContext } from '../oauth-context.js';
import { hostOfUrl } from './host-of.js';
import { isTransientStatus, signInFailure } from '../oauth-error.js';

/** A JSON document at a well-known place. Undefined: there is none. Rejects where that cannot be told now, or is refused. */
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
    throw signInFailure(`Server "${name}": ${hostOfUrl(url)} answered HTTP ${status} to "how does one sign in?"`, {
      hint: 'Try again in a moment; nothing is lost',
      isTransient: true,
    });
  if (!response.ok) return undefined;
  try {
    const value: unknown = await response.json();
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // a page that stands for every address of a site
  }
}

const PROTOCOL_VERSION = '2025-11-25'; // the latest that says what is to be found there by that header
