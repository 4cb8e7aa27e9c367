// https://www.rfc-editor.org/rfc/rfc7636, https://www.rfc-editor.org/rfc/rfc9207
import { attempt } from '../../base/attempt.js';
import type { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { nameWord } from '../../base/shell-word.js';
import { gateAuth, originsOf } from '../auth-gate.js';
import type { OAuthContext } from '../oauth-context.js';
import type { TokenRequestContext } from '../client/client-authentication.js';
import { hostOfUrl } from '../discovery/host-of.js';
import { loadOAuth, type OAuthLibrary, requestFields } from '../oauth.js';
import { signInFailure, toOAuthResponseError } from '../oauth-error.js';
import { type GrantRequest, requestToken, type TokenAsk } from '../tokens/request-token.js';
import type { NewTokens } from '../tokens/token-set.js';

export interface CodeRequest extends GrantRequest {
  readonly redirectUri: string;
  readonly state: string;
}

/** The authorization page to visit, and the PKCE verifier that proves that we began this sign-in. */
export interface BegunCode {
  /** Safe to pass to a program as one argument, and to show in full. */
  readonly url: string;
  readonly host: string;
  readonly verifier: Secret;
}

export async function beginCode(request: CodeRequest): Promise<BegunCode> {
  const { target, issuer, client, scopes, redirectUri, state, dpop } = request;
  const { name } = target;
  if (issuer.authorizationEndpoint === undefined)
    throw signInFailure(`Server "${name}": its authorization server has no sign-in page`, {
      hint: `Use a device code: plugboard login --device ${nameWord(name)}`,
    });
  const oauth = await loadOAuth();
  const verifier = oauth.generateRandomCodeVerifier();
  const page = new URL(issuer.authorizationEndpoint);
  for (const [field, value] of Object.entries({
    response_type: 'code',
    client_id: client.clientId,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    redirect_uri: redirectUri,
    state,
    ...requestFields(request),
    // Without `prompt=consent` OpenID Connect gives no refresh token (section 11 of its core).
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
    // Binds the code to this key (RFC 9449 section 10).
    ...(dpop && { dpop_jkt: await (await dpop.handle()).calculateThumbprint() }),
  }))
    page.searchParams.set(field, value);
  const gated = gateAuth(page.href, { purpose: 'open', origins: originsOf(target) });
  if (!gated.ok) throw signInFailure(`Server "${name}": its sign-in page is refused. ${gated.reason}`);
  return { url: gated.href, host: gated.url.host, verifier: new Secret(verifier) };
}

/** The parameters that the browser brings to the redirect URI. */
export interface AuthorizationResponse {
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
}

export type CheckedCallback =
  /** `parameters`: the object that the library has marked as validated; it redeems no other. */
  | { readonly kind: 'code'; readonly code: Secret; readonly parameters: URLSearchParams }
  | { readonly kind: 'refused'; readonly error: HostError };

/** Checks `iss` and returns the code, or why there is none. The caller has checked `state` already. */
export async function checkCallback(
  answer: AuthorizationResponse,
  from: TokenRequestContext,
): Promise<CheckedCallback> {
  const { code, error, errorDescription: description } = answer;
  const { name } = from.target;
  const parameters = checkedQuery(answer, from, await loadOAuth());
  // The response is from another authorization server, so its error text is not shown.
  if (!parameters) return { kind: 'refused', error: issuerMismatch(answer, from) };
  if (error !== undefined) {
    const place = { name, doing: `${hostOfUrl(from.issuer.issuer)} did not sign you in` };
    return { kind: 'refused', error: toOAuthResponseError({ error, description }, place) };
  }
  if (code === undefined || code === '' || code.length > CODE_LIMIT)
    return { kind: 'refused', error: signInFailure(`Server "${name}": the browser came back without a code`) };
  return { kind: 'code', code: new Secret(code), parameters };
}

export interface CodeRedemption extends GrantRequest {
  readonly code: Secret;
  readonly parameters: URLSearchParams;
  readonly verifier: Secret;
  readonly redirectUri: string;
}

/** Exchanges the code for tokens, only at the authorization server that was asked for the code. */
export async function redeemCode(redemption: CodeRedemption, world: OAuthContext): Promise<NewTokens> {
  const { code, parameters, verifier, redirectUri, resource } = redemption;
  const ask: TokenAsk = (oauth, parties, options) =>
    oauth.authorizationCodeGrantRequest(...parties, parameters, redirectUri, verifier.reveal(), {
      ...options,
      additionalParameters: requestFields({ resource }),
    });
  return await requestToken(ask, redemption, { world, secrets: [code, verifier] });
}

const CODE_LIMIT = 8_192;

/** The parameters, validated by the library; undefined unless `iss` matches exactly. Assumed issuers are exempt. */
function checkedQuery(
  { code = '', iss: said }: AuthorizationResponse,
  { target, issuer, client }: TokenRequestContext,
  oauth: OAuthLibrary,
): URLSearchParams | undefined {
  const isExempt = issuer.isAssumed || target.settings.allowIssuerMismatch === true;
  const iss = isExempt ? undefined : said;
  if (iss === '') return undefined; // the library treats an empty `iss` as absent
  const server = {
    issuer: issuer.issuer,
    authorization_response_iss_parameter_supported: issuer.saysIss && !isExempt,
  };
  const parameters = new URLSearchParams({ code, ...(iss !== undefined && { iss }) });
  return attempt(() =>
    oauth.validateAuthResponse(server, { client_id: client.clientId }, parameters, oauth.skipStateCheck),
  );
}

function issuerMismatch({ iss }: AuthorizationResponse, { target, issuer }: TokenRequestContext): HostError {
  const said =
    iss === undefined ? 'names no authorization server; it should name' : 'is from another authorization server than';
  return signInFailure(`Server "${target.name}": the answer of the browser ${said} ${hostOfUrl(issuer.issuer)}`, {
    hint: 'Sign in again; if this recurs and you trust the server, set "oauth.allowIssuerMismatch": true in its entry',
  });
}
