// https://www.rfc-editor.org/rfc/rfc6749#section-6, https://www.rfc-editor.org/rfc/rfc7523#section-2.1
import type { OAuthContext } from '../oauth-context.js';
import type { CredentialRecord } from '../store/credential-record.js';
import { DpopKey } from './dpop-key.js';
import { requestFields } from '../oauth.js';
import { signInFailure } from '../oauth-error.js';
import { type GrantRequest, requestByForm } from './request-token.js';
import type { SignInTarget } from '../sign-in-target.js';
import { textOrFile } from '../store/text-or-file.js';
import type { NewTokens } from './token-set.js';

/** Refreshes a record's tokens, at their own issuer only. Keeps the refresh token when the response has none. */
export async function refreshTokens(
  record: CredentialRecord,
  target: SignInTarget,
  world: OAuthContext,
): Promise<NewTokens> {
  const { issuer, client, resource, tokens, dpopKey } = record;
  const refreshToken = tokens?.refreshToken;
  if (!tokens || !refreshToken) throw signInFailure(`Server "${target.name}": there is no refresh token to use`);
  const dpop = dpopKey && tokens.type === 'DPoP' ? DpopKey.restore(dpopKey) : undefined;
  const scopes = tokens.scope === undefined ? record.scopes : tokens.scope.split(' ');
  const fresh = await requestByForm(
    { grant_type: 'refresh_token', refresh_token: refreshToken.reveal() },
    { target, issuer, client, resource, scopes, dpop },
    { world, secrets: [refreshToken, tokens.accessToken] },
  );
  return {
    ...fresh,
    refreshToken: fresh.refreshToken ?? refreshToken,
    scope: fresh.scope ?? tokens.scope,
    idToken: fresh.idToken ?? tokens.idToken,
  };
}

/** Grant `client_credentials`: by secret, or by a signature where the entry has a key. */
export function requestByClient(request: GrantRequest, world: OAuthContext): Promise<NewTokens> {
  return requestByForm({ grant_type: 'client_credentials', ...requestFields({ scopes: request.scopes }) }, request, {
    world,
  });
}

/** Grant `jwt_bearer`: with an assertion of the platform that runs this workload. */
export async function requestByAssertion(request: GrantRequest, world: OAuthContext): Promise<NewTokens> {
  const { name, settings } = request.target;
  if (!settings.assertion)
    throw signInFailure(`Server "${name}" has the grant "jwt_bearer" and no "oauth.assertion"`, {
      hint: 'Give the token of this workload, or the path of the file that holds it',
    });
  // Read for each request, because the platform replaces the assertion every few minutes.
  const options = { isText: WEB_TOKEN, field: 'oauth.assertion', name, cwd: world.cwd };
  const assertion = textOrFile(settings.assertion, options);
  const form = { grant_type: JWT_BEARER, assertion: assertion.reveal(), ...requestFields({ scopes: request.scopes }) };
  return await requestByForm(form, request, { world, secrets: [assertion] });
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const WEB_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/u;
