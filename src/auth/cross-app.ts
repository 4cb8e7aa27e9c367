// https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization (SEP-990), https://www.rfc-editor.org/rfc/rfc8693
import { Secret } from '../base/secret.js';
import type { AuthWorld } from './auth-world.js';
import type { AuthorizationServer, ClientIdentity } from './credential-record.js';
import type { Discovery } from './discovery.js';
import type { DpopKey } from './dpop-key.js';
import { hostOf } from './host-of.js';
import { toOAuthError } from './oauth-error.js';
import { requestByForm } from './request-token.js';
import { loadSdk } from './sdk.js';
import type { SignInTarget } from './sign-in-target.js';
import { tokenFetch } from './token-answer.js';
import { JWT_BEARER } from './token-requests.js';
import type { NewTokens } from './token-set.js';

export interface CrossAppRequest {
  readonly target: SignInTarget;
  readonly discovery: Discovery;
  /** Who we are to the server's own authorization server. */
  readonly client: ClientIdentity;
  readonly scopes: readonly string[];
  readonly idToken: Secret;
  readonly identityProvider: {
    readonly issuer: AuthorizationServer;
    readonly clientId: string;
    readonly clientSecret?: Secret | undefined;
  };
  readonly dpop?: DpopKey | undefined;
}

/** Tokens for a server on the word of the identity provider: it is asked for a grant, which the server's own one takes. */
export async function requestCrossApp(
  request: CrossAppRequest,
  { world, identityWorld }: { readonly world: AuthWorld; readonly identityWorld: AuthWorld },
): Promise<NewTokens> {
  const { target, discovery, client, scopes, dpop } = request;
  const { issuer, resource } = discovery;
  const grant = await requestGrant(request, identityWorld);
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
  const form = { grant_type: JWT_BEARER, assertion: grant.reveal(), ...scope };
  return await requestByForm(form, { target, issuer, client, resource, scopes, dpop }, { world, secrets: [grant] });
}

async function requestGrant(request: CrossAppRequest, world: AuthWorld): Promise<Secret> {
  const { target, discovery, scopes, idToken, identityProvider } = request;
  const { tokenEndpoint } = identityProvider.issuer;
  const place = {
    name: target.name,
    doing: `the identity provider ${hostOf(tokenEndpoint)} does not vouch for you there`,
    secrets: [idToken, identityProvider.clientSecret],
  };
  const { requestJwtAuthorizationGrant } = await loadSdk();
  try {
    const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
      tokenEndpoint,
      audience: discovery.issuer.issuer,
      resource: discovery.resource,
      idToken: idToken.reveal(),
      clientId: identityProvider.clientId,
      ...(identityProvider.clientSecret && { clientSecret: identityProvider.clientSecret.reveal() }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      fetchFn: tokenFetch(world.fetch, place),
    });
    return new Secret(jwtAuthGrant);
  } catch (error) {
    throw toOAuthError(error, place);
  }
}
