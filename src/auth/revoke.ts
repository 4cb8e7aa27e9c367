// https://www.rfc-editor.org/rfc/rfc7009
import type { AuthWorld } from './auth-world.js';
import { authenticateClient } from './client-authentication.js';
import type { CredentialRecord } from './credential-record.js';
import type { SignInTarget } from './sign-in-target.js';

/** Whether the authorization server took the tokens back. Never rejects: signing out must not depend on it. */
export async function revokeTokens(record: CredentialRecord, target: SignInTarget, world: AuthWorld): Promise<boolean> {
  const { issuer, client, tokens } = record;
  const endpoint = issuer.revocationEndpoint;
  if (endpoint === undefined || !tokens) return false;
  const { refreshToken, accessToken } = tokens;
  try {
    const oauth = await import('oauth4webapi');
    const authenticate = await authenticateClient({ target, issuer, client, cwd: world.cwd });
    const revoke = async (token: string, hint: string): Promise<boolean> => {
      const response = await oauth.revocationRequest(
        { issuer: issuer.issuer, revocation_endpoint: endpoint },
        { client_id: client.clientId },
        (_server, _client, body, headers) => authenticate(headers, body, endpoint),
        token,
        {
          additionalParameters: { token_type_hint: hint },
          [oauth.customFetch]: (url: string, init: RequestInit) => world.fetch(url, init),
          // Which hosts may be asked without encryption, the fetch itself decides.
          [oauth.allowInsecureRequests]: true,
          ...(world.signal && { signal: world.signal }),
        },
      );
      return response.ok;
    };
    // The refresh token first: with it goes the whole sign-in, in most places the access token too.
    const whole = refreshToken ? await revoke(refreshToken.reveal(), 'refresh_token') : true;
    const now = await revoke(accessToken.reveal(), 'access_token');
    return refreshToken ? whole : now;
  } catch {
    return false; // the tokens are forgotten here in any case
  }
}
