// https://www.rfc-editor.org/rfc/rfc9728
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { sameOrigin } from '../../model/urls/canonical-url.js';
import type { Challenge } from '../../model/challenge.js';
import { toScopes } from '../../model/oauth-scopes.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { OAuthContext } from '../oauth-context.js';
import { readMetadata } from './metadata-document.js';
import { signInFailure } from '../oauth-error.js';
import type { SignInTarget } from '../sign-in-target.js';

export interface ResourceMetadata {
  /** As the server spells it, without a fragment. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[] | undefined;
}

/** Reads from the challenge's URL, if it has the server's origin, else the well-known URLs; undefined: none. */
export async function readResourceMetadata(
  target: SignInTarget,
  world: OAuthContext,
  challenge: Challenge | undefined,
): Promise<ResourceMetadata | undefined> {
  const { name } = target;
  const server = new URL(target.url);
  let failure: HostError | undefined;
  for (const url of placesOf(server, challenge)) {
    const document = await readMetadata(url, { name, world }).catch((error: unknown) => {
      if (!(error instanceof HostError) || error.code === 'cancelled') throw error;
      failure ??= error;
      return undefined;
    });
    const resource = document?.['resource'];
    if (document && typeof resource === 'string')
      return toResourceMetadata({ ...document, resource }, { name, server });
  }
  // One URL could not be read and may have the metadata: going on without it would ask the wrong authorization server.
  if (failure) throw failure;
  return undefined;
}

const SERVERS_LIMIT = 10;
const URL_LIMIT = 8_192;

function placesOf(server: URL, challenge: Challenge | undefined): readonly string[] {
  const places: string[] = [];
  const said = challenge?.resourceMetadata;
  // A URL at another origin is ignored, because a server could make us fetch anything.
  if (said !== undefined && parseUrl(said) !== undefined && sameOrigin(new URL(said), server)) places.push(said);
  const path = server.pathname.replace(/\/$/u, '');
  const wellKnown = new URL(`/.well-known/oauth-protected-resource${path}`, server);
  wellKnown.search = server.search;
  places.push(wellKnown.href, new URL('/.well-known/oauth-protected-resource', server).href);
  return [...new Set(places)];
}

function toResourceMetadata(
  document: { readonly resource: string; readonly [field: string]: unknown },
  { name, server }: { readonly name: string; readonly server: URL },
): ResourceMetadata {
  const { resource } = document;
  const isCovered =
    resource.length <= URL_LIMIT && parseUrl(resource) !== undefined && isWithin(server, new URL(resource));
  if (!isCovered)
    throw signInFailure(
      `Server "${name}" at ${server.origin} says that its resource is ${gateLine(resource, { limit: 200 }).text}: Plugboard sends it no tokens for that`,
      { hint: 'Check the URL of its entry; if the URL is right, ask its operator to correct its "resource"' },
    );
  const servers = document['authorization_servers'];
  const scopes = document['scopes_supported'];
  return {
    // RFC 8707 allows no fragment, and a server never receives one.
    resource: resource.split('#', 1)[0]!,
    authorizationServers: (Array.isArray(servers) ? servers : [])
      .filter((one): one is string => typeof one === 'string' && one.length <= URL_LIMIT)
      .slice(0, SERVERS_LIMIT),
    scopesSupported: Array.isArray(scopes) ? toScopes(scopes) : undefined,
  };
}

/** A token for a whole site, or for a path, also covers every path below. */
function isWithin(server: URL, resource: URL): boolean {
  const [inner, outer] = [server, resource].map(({ pathname }) => pathname.replace(/\/?$/u, '/'));
  // A resource `/mcp/` does not cover `/mcp`, although most servers treat both alike.
  const isShorter = resource.pathname.length <= server.pathname.length;
  return server.origin === resource.origin && isShorter && inner!.startsWith(outer!);
}
