// https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization (SEP-990), https://www.rfc-editor.org/rfc/rfc8693
import { Secret } from '../../base/secret.js';
import type { OAuthContext } from '../oauth-context.js';
import { byForm } from '../client/client-authentication.js';
import type { AuthorizationServer } from '../store/credential-record.js';
import { hostOfUrl } from '../discovery/host-of.js';
import { loadOAuth, requestFields, requestOptions } from '../oauth.js';
import { signInFailure, toOAuthError } from '../oauth-error.js';
import { type GrantRequest, requestByForm } from '../tokens/request-token.js';
import { readTokenAnswer, tokensOf } from '../tokens/token-response.js';
import { JWT_BEARER } from '../tokens/token-requests.js';
import type { NewTokens } from '../tokens/token-set.js';

export interface CrossAppRequest extends GrantRequest {
  readonly idToken: Secret;
  readonly identityProvider: {
    readonly issuer: AuthorizationServer;
    readonly clientId: string;
    readonly clientSecret?: Secret | undefined;
  };
}

/** Exchanges the ID token at the identity provider for a grant (ID-JAG), and that for tokens of the server. */
export async function requestCrossApp(
  request: CrossAppRequest,
  { world, identityWorld }: { readonly world: OAuthContext; readonly identityWorld: OAuthContext },
): Promise<NewTokens> {
  const grant = await requestGrant(request, identityWorld);
  const form = { grant_type: JWT_BEARER, assertion: grant.reveal(), ...requestFields({ scopes: request.scopes }) };
  return await requestByForm(form, request, { world, secrets: [grant] });
}

async function requestGrant(request: CrossAppRequest, world: OAuthContext): Promise<Secret> {
  const { target, scopes, resource, idToken, identityProvider } = request;
  const { issuer, clientId, clientSecret } = identityProvider;
  const place = {
    name: target.name,
    doing: `the identity provider ${hostOfUrl(issuer.tokenEndpoint)} does not vouch for you there`,
    secrets: [idToken, clientSecret],
  };
  const oauth = await loadOAuth();
  try {
    const response = await oauth.genericTokenEndpointRequest(
      { issuer: issuer.issuer, token_endpoint: issuer.tokenEndpoint },
      { client_id: clientId },
      await byForm(clientSecret),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      {
        requested_token_type: ID_JAG,
        audience: request.issuer.issuer,
        subject_token: idToken.reveal(),
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        ...requestFields({ scopes, resource }),
      },
      requestOptions(oauth, world),
    );
    const { access_token: grant, issued_token_type: type } = tokensOf(await readTokenAnswer(response), place);
    if (type === ID_JAG && typeof grant === 'string') return new Secret(grant);
    throw signInFailure(`Server "${target.name}": ${place.doing}: its answer is not a grant for another server`);
  } catch (error) {
    throw toOAuthError(error, place);
  }
}

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
