// https://www.rfc-editor.org/rfc/rfc7636, https://www.rfc-editor.org/rfc/rfc9207
import type { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import { nameWord } from '../base/shell-word.js';
import { gateAuth, originsOf } from './auth-gate.js';
import type { AuthWorld } from './auth-world.js';
import { toMetadata } from './authorization-server.js';
import type { AuthorizationServer } from './credential-record.js';
import { hostOf } from './host-of.js';
import { signInFailure, toAnswerError, toOAuthError } from './oauth-error.js';
import { type GrantRequest, requestToken } from './request-token.js';
import { loadSdk } from './sdk.js';
import type { SignInTarget } from './sign-in-target.js';
import type { NewTokens } from './token-set.js';

export interface CodeRequest extends GrantRequest {
  readonly redirectUri: string;
  readonly state: string;
}

/** A page to be visited, and what proves afterwards that it was us who sent somebody there. */
export interface BegunCode {
  /** To open as one argument, and to show in full. */
  readonly url: string;
  readonly host: string;
  readonly verifier: Secret;
}

export async function beginCode(request: CodeRequest): Promise<BegunCode> {
  const { target, issuer, client, resource, scopes, redirectUri, state, dpop } = request;
  const { name } = target;
  if (issuer.authorizationEndpoint === undefined)
    throw signInFailure(`Server "${name}": its authorization server has no page to sign in at`, {
      hint: `Try a code: plugboard login --device ${nameWord(name)}`,
    });
  const { startAuthorization } = await loadSdk();
  try {
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer.issuer, {
      metadata: toMetadata(issuer),
      clientInformation: { client_id: client.clientId },
      redirectUrl: redirectUri,
      state,
      ...(resource !== '' && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    // A code that only this key can redeem (RFC 9449 section 10).
    if (dpop) authorizationUrl.searchParams.set('dpop_jkt', (await dpop.session()).thumbprint);
    const gated = gateAuth(authorizationUrl.href, { purpose: 'open', origins: originsOf(target) });
    if (!gated.ok) throw signInFailure(`Server "${name}": its page to sign in at is refused. ${gated.reason}`);
    return { url: gated.href, host: gated.url.host, verifier: new Secret(codeVerifier) };
  } catch (error) {
    throw toOAuthError(error, { name, doing: 'the sign-in could not be begun' });
  }
}

/** What came back with the browser. */
export interface CallbackAnswer {
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
}

export type CheckedCallback =
  | { readonly kind: 'code'; readonly code: Secret; readonly iss?: string | undefined }
  | { readonly kind: 'refused'; readonly error: HostError };

/** The code that was given, or why there is none. `state` has been checked before. */
export async function checkCallback(
  { code, iss, error, errorDescription }: CallbackAnswer,
  from: { readonly target: SignInTarget; readonly issuer: AuthorizationServer },
): Promise<CheckedCallback> {
  const { name } = from.target;
  const mismatch = await issuerMismatch(iss, from);
  // From somebody else: what they say about it is not shown.
  if (mismatch) return { kind: 'refused', error: mismatch };
  if (error !== undefined) {
    const place = { name, doing: `${hostOf(from.issuer.issuer)} did not sign you in` };
    return { kind: 'refused', error: toAnswerError({ error, description: errorDescription }, place) };
  }
  if (code === undefined || code === '' || code.length > CODE_LIMIT)
    return { kind: 'refused', error: signInFailure(`Server "${name}": the browser came back without a code`) };
  return { kind: 'code', code: new Secret(code), iss };
}

export interface CodeRedemption extends GrantRequest {
  readonly code: Secret;
  readonly iss?: string | undefined;
  readonly verifier: Secret;
  readonly redirectUri: string;
}

/** Tokens for a code, of nobody but the authorization server that was asked for it. */
export async function redeemCode(redemption: CodeRedemption, world: AuthWorld): Promise<NewTokens> {
  const { issuer, code, iss, verifier, redirectUri } = redemption;
  const mismatch = await issuerMismatch(iss, redemption);
  if (mismatch) throw mismatch;
  return await requestToken(redemption, {
    world,
    secrets: [code, verifier],
    ask: async (parts) => {
      const { exchangeAuthorization } = await loadSdk();
      return await exchangeAuthorization(issuer.issuer, {
        ...parts,
        // Compared above, where a server may be excused.
        metadata: { ...parts.metadata, authorization_response_iss_parameter_supported: false },
        authorizationCode: code.reveal(),
        codeVerifier: verifier.reveal(),
        redirectUri,
      });
    },
  });
}

const CODE_LIMIT = 8_192;

/** Compared letter by letter. One that says nothing about itself cannot be held to anything. */
async function issuerMismatch(
  iss: string | undefined,
  { target, issuer }: { readonly target: SignInTarget; readonly issuer: AuthorizationServer },
): Promise<HostError | undefined> {
  if (issuer.isAssumed || target.settings.allowIssuerMismatch === true) return undefined;
  const { validateAuthorizationResponseIssuer } = await loadSdk();
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer.issuer, issParameterSupported: issuer.saysIss });
    return undefined;
  } catch {
    const said =
      iss === undefined
        ? 'does not name the authorization server that it is from; that should be'
        : 'is from another authorization server than';
    return signInFailure(`Server "${target.name}": the answer of the browser ${said} ${hostOf(issuer.issuer)}`, {
      hint: 'Sign in again; if it always says so and you trust it, set "oauth.allowIssuerMismatch": true in its entry',
    });
  }
}
