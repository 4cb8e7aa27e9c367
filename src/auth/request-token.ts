import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { AddClientAuthentication, DpopSession } from '@modelcontextprotocol/client';
import type { Secret } from '../base/secret.js';
import type { AuthFetch } from './auth-fetch.js';
import type { AuthWorld } from './auth-world.js';
import { toMetadata } from './authorization-server.js';
import { authenticateClient } from './client-authentication.js';
import type { AuthorizationServer, ClientIdentity } from './credential-record.js';
import type { DpopKey } from './dpop-key.js';
import { hostOf } from './host-of.js';
import { type OAuthErrorPlace, toOAuthError } from './oauth-error.js';
import { loadSdk } from './sdk.js';
import type { SignInTarget } from './sign-in-target.js';
import { tokenFetch } from './token-answer.js';
import { type NewTokens, toTokenSet } from './token-set.js';

/** Whom a token is asked of, by whom and for what. */
export interface GrantRequest {
  readonly target: SignInTarget;
  readonly issuer: AuthorizationServer;
  readonly client: ClientIdentity;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly dpop?: DpopKey | undefined;
}

/** What the SDK's token functions share. */
export interface TokenParts {
  readonly metadata: AuthorizationServerMetadata;
  readonly clientInformation: OAuthClientInformationMixed;
  readonly resource: string;
  readonly addClientAuthentication: AddClientAuthentication;
  readonly dpop?: DpopSession;
  readonly fetchFn: AuthFetch;
}

/** One request to the token endpoint. `secrets`: what is sent besides the client's own. */
export async function requestToken(
  request: GrantRequest,
  {
    world,
    secrets = [],
    ask,
  }: {
    readonly world: AuthWorld;
    readonly secrets?: readonly (Secret | undefined)[];
    readonly ask: (parts: TokenParts) => Promise<OAuthTokens>;
  },
): Promise<NewTokens> {
  const { target, issuer, client, dpop } = request;
  const place: OAuthErrorPlace = {
    name: target.name,
    doing: `${hostOf(issuer.tokenEndpoint)} gave no token`,
    secrets: [client.clientSecret, target.settings.assertion, ...secrets],
  };
  try {
    const answer = await ask({
      metadata: toMetadata(issuer),
      clientInformation: { client_id: client.clientId, issuer: issuer.issuer },
      resource: request.resource,
      addClientAuthentication: await authenticateClient({ target, issuer, client, cwd: world.cwd }),
      ...(dpop && { dpop: await dpop.session() }),
      fetchFn: tokenFetch(world.fetch, place),
    });
    const type = dpop ? 'DPoP' : 'Bearer';
    return toTokenSet(answer, { name: target.name, now: world.wall(), type, scopes: request.scopes });
  } catch (error) {
    throw toOAuthError(error, place);
  }
}

/** The same for a grant that the SDK knows no function for. */
export function requestByForm(
  form: Readonly<Record<string, string>>,
  request: GrantRequest,
  { world, secrets }: { readonly world: AuthWorld; readonly secrets?: readonly (Secret | undefined)[] },
): Promise<NewTokens> {
  return requestToken(request, {
    world,
    ...(secrets && { secrets }),
    ask: async ({ metadata, resource, fetchFn, clientInformation, addClientAuthentication, dpop }) => {
      const { fetchToken } = await loadSdk();
      const provider = {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [] },
        clientInformation: () => clientInformation,
        prepareTokenRequest: () => new URLSearchParams(form),
        addClientAuthentication,
        ...(dpop && { dpop: () => dpop }),
        ...NOTHING_KEPT,
      };
      return await fetchToken(provider, metadata.issuer, { metadata, resource, fetchFn });
    },
  });
}

/** The SDK's provider also stores things, which these grants have no use for. */
const NOTHING_KEPT = {
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
};
