// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
import type { Challenge } from '../../model/challenge.js';
import { toScopes } from '../../model/oauth-scopes.js';
import { type OAuthSettings, userlessGrant } from '../../model/oauth-settings.js';
import type { Discovery } from '../discovery/discovery.js';

export interface ScopeSources {
  readonly settings: OAuthSettings;
  readonly discovery: Discovery;
  readonly challenge?: Challenge | undefined;
  /** All scopes ever requested: a step-up requests these and more. */
  readonly before?: readonly string[] | undefined;
  /** Scopes to request besides those that the server names. */
  readonly more?: readonly string[] | undefined;
}

/** The scopes to request; empty to get the authorization server's defaults. */
export function chosenScopes(sources: ScopeSources): readonly string[] {
  const { settings, discovery, challenge, before = [], more = [] } = sources;
  const named = settings.scopes ?? namedBy(challenge, discovery);
  const wanted = toScopes([...before, ...named, ...more]);
  // A grant without a user gets no refresh token, so `offline_access` is left out unless the entry lists it.
  if (userlessGrant(settings)) return wanted.filter((scope) => scope !== OFFLINE || settings.scopes?.includes(OFFLINE));
  // `offline_access` alone grants nothing, and would replace the authorization server's default scopes.
  const isOffered = discovery.issuer.scopesSupported?.includes(OFFLINE) === true;
  return isOffered && wanted.length > 0 ? toScopes([...wanted, OFFLINE]) : wanted;
}

const OFFLINE = 'offline_access';

function namedBy(challenge: Challenge | undefined, { scopesSupported = [] }: Discovery): readonly string[] {
  return challenge && challenge.scopes.length > 0 ? challenge.scopes : scopesSupported;
}
