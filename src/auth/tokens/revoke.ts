// https://www.rfc-editor.org/rfc/rfc7009
import type { OAuthContext } from '../oauth-context.js';
import { partiesOf } from '../client/client-authentication.js';
import type { CredentialRecord } from '../store/credential-record.js';
import { loadOAuth, requestOptions } from '../oauth.js';
import type { SignInTarget } from '../sign-in-target.js';

/** Returns whether the authorization server revoked the tokens. Never rejects: signing out must not depend on it. */
export async function revokeTokens(
  record: CredentialRecord,
  target: SignInTarget,
  world: OAuthContext,
): Promise<boolean> {
  const { issuer, client, tokens } = record;
  if (issuer.revocationEndpoint === undefined || !tokens) return false;
  const { refreshToken, accessToken } = tokens;
  try {
    const oauth = await loadOAuth();
    const parties = await partiesOf({ target, issuer, client }, world);
    const revoke = async (token: string, hint: string): Promise<boolean> => {
      const options = { ...requestOptions(oauth, world), additionalParameters: { token_type_hint: hint } };
      return (await oauth.revocationRequest(...parties, token, options)).ok;
    };
    // The refresh token first: revoking it ends the whole sign-in, and at most servers the access token too.
    const whole = refreshToken ? await revoke(refreshToken.reveal(), 'refresh_token') : true;
    const now = await revoke(accessToken.reveal(), 'access_token');
    return refreshToken ? whole : now;
  } catch {
    return false; // the tokens are deleted here in any case
  }
}
