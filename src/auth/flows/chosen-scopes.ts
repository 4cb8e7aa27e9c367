// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
import type { Challenge } from '../../model/challenge.js';
import { toScopes } from '../../model/oauth-scopes.js';
import { type OAuthSettings, silentWay } from '../../model/oauth-settings.js';
import type { Discovery } from '../discovery/discovery.js';

export interface ScopeSources {
  readonly settings: OAuthSettings;
  readonly discovery: Discovery;
  readonly challenge?: Challenge | undefined;
  /** All that were ever asked for: a step up asks for these and more. */
  readonly before?: readonly string[] | undefined;
  /** Besides those that the server names. */
  readonly more?: readonly string[] | undefined;
}

/** Which rights to ask for; empty for those that the authorization server gives by itself. */
export function chosenScopes(sources: ScopeSources): readonly string[] {
  const { settings, discovery, challenge, before = [], more = [] } = sources;
  const named = settings.scopes ?? namedBy(challenge, discovery);
  const wanted = toScopes([...before, ...named, ...more]);
  // Who signs in for itself gets no refresh token, and asks anew when a token is over; what the entry itself says is asked for as it is.
  if (silentWay(settings)) return wanted.filter((scope) => scope !== OFFLINE || settings.scopes?.includes(OFFLINE));
  // Alone it would be no right at all, and the authorization server would not give its usual ones any more.
  const isOffered = discovery.issuer.scopesSupported?.includes(OFFLINE) === true;
  return isOffered && wanted.length > 0 ? toScopes([...wanted, OFFLINE]) : wanted;
}

const OFFLINE = 'offline_access';

function namedBy(challenge: Challenge | undefined, { scopesSupported = [] }: Discovery): readonly string[] {
  return challenge && challenge.scopes.length > 0 ? challenge.scopes : scopesSupported;
}
