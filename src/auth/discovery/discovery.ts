// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-discovery
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import type { Challenge } from '../../model/challenge.js';
import type { OAuthSettings } from '../../model/oauth-settings.js';
import type { OAuthContext } from '../oauth-context.js';
import { assumedServer, readAuthorizationServer, readNamedServer } from './authorization-server.js';
import type { AuthorizationServer } from '../store/credential-record.js';
import { hostOfUrl } from './host-of.js';
import { isTransientFailure, signInFailure } from '../oauth-error.js';
import { readResourceMetadata, type ResourceMetadata } from './resource-metadata.js';
import type { SignInTarget } from '../sign-in-target.js';

/** Where a server's tokens come from. */
export interface Discovery {
  readonly issuer: AuthorizationServer;
  /** The `resource` parameter of RFC 8707: what tokens are issued for. */
  readonly resource: string;
  readonly scopesSupported?: readonly string[] | undefined;
  readonly hasResourceMetadata: boolean;
}

export interface DiscoveryOptions {
  readonly challenge?: Challenge | undefined;
  /** The issuer of the stored tokens; it is preferred as long as the server still names it. */
  readonly knownIssuer?: string | undefined;
}

/** Finds the authorization server of an MCP server. Rejects with a HostError that names what cannot be used. */
export async function discoverIssuer(
  target: SignInTarget,
  world: OAuthContext,
  { challenge, knownIssuer }: DiscoveryOptions = {},
): Promise<Discovery> {
  if (!parseUrl(target.url)) throw signInFailure(`Server "${target.name}" has an invalid URL`);
  const { authServerMetadataUrl } = target.settings;
  if (authServerMetadataUrl !== undefined) {
    const issuer = await readNamedServer(authServerMetadataUrl, { target, world });
    // The user named the authorization server; resource metadata only adds to that, so a failure is ignored.
    const described = await readResourceMetadata(target, world, challenge).catch((error: unknown) => {
      if (error instanceof HostError && error.code === 'cancelled') throw error;
      return undefined;
    });
    return toDiscovery(issuer, target, described);
  }
  const metadata = await readResourceMetadata(target, world, challenge);
  const named = metadata?.authorizationServers ?? [];
  const issuer =
    named.length === 0
      ? await ownServer(target, world)
      : await firstUsable(inOrder(named, knownIssuer), { target, world });
  return toDiscovery(issuer, target, metadata);
}

/** Throws a HostError for an authorization server that does not declare PKCE with S256. For browser flows. */
export function checkPkce(issuer: AuthorizationServer, settings: OAuthSettings, name: string): void {
  const { codeChallengeMethods, isAssumed } = issuer;
  if (isAssumed || codeChallengeMethods?.includes('S256') === true) return;
  const who = `Server "${name}": its authorization server ${hostOfUrl(issuer.issuer)}`;
  if (codeChallengeMethods)
    throw signInFailure(`${who} does not support PKCE with S256, without which a sign-in can be stolen`, {
      hint: 'Ask its operator to fix this',
    });
  if (settings.allowMissingPkce === true) return;
  throw signInFailure(`${who} does not state that it supports PKCE, without which a sign-in can be stolen`, {
    hint: 'Ask its operator to fix this; if you know it supports PKCE, set "oauth.allowMissingPkce": true in its entry',
  });
}

const TRIES = 5;
const TOTAL_TIMEOUT_MS = 30_000; // each issuer may take a minute over its three URLs, and the user waits

function toDiscovery(
  issuer: AuthorizationServer,
  { url }: SignInTarget,
  metadata: ResourceMetadata | undefined,
): Discovery {
  return {
    issuer,
    resource: metadata?.resource ?? resourceOf(url),
    scopesSupported: metadata?.scopesSupported,
    hasResourceMetadata: metadata !== undefined,
  };
}

/** The server's URL without a fragment, and without the slash that the URL parser adds after a bare host. */
function resourceOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? origin : origin + pathname + search;
}

function inOrder(named: readonly string[], known: string | undefined): readonly string[] {
  if (known === undefined || !named.includes(known)) return named;
  return [known, ...named.filter((one) => one !== known)];
}

/** A server that names no authorization server is its own, as every server was in 2025-03-26. */
async function ownServer(target: SignInTarget, world: OAuthContext): Promise<AuthorizationServer> {
  const { origin } = new URL(target.url);
  const issuer = await readAuthorizationServer(origin, { target, world, spellings: [`${origin}/`] });
  return issuer ?? assumedServer(origin);
}

/** Tries the issuers in order: a broken authorization server must not hide a working one. */
async function firstUsable(
  named: readonly string[],
  { target, world }: { readonly target: SignInTarget; readonly world: OAuthContext },
): Promise<AuthorizationServer> {
  const failures: HostError[] = [];
  const since = world.wall();
  for (const issuer of named.slice(0, TRIES)) {
    if (failures.length > 0 && world.wall() - since > TOTAL_TIMEOUT_MS) break;
    try {
      const found = await readAuthorizationServer(issuer, { target, world });
      if (found) return found;
      failures.push(
        signInFailure(`Server "${target.name}": its authorization server ${hostOfUrl(issuer)} publishes no metadata`),
      );
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'cancelled') throw error;
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first && failures.length === 1) throw first;
  const all = failures.map(({ message }) => message.replace(`Server "${target.name}": `, '')).join('; ');
  throw signInFailure(
    `Server "${target.name}": none of its ${failures.length} authorization servers can be used: ${all}`,
    {
      isTransient: failures.some(isTransientFailure),
      hint: first?.hint,
      cause: first,
    },
  );
}
