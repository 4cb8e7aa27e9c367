import type { TokenEndpointRequestOptions } from 'oauth4webapi';
import type { Secret } from '../../base/secret.js';
import type { OAuthContext } from '../oauth-context.js';
import { type TokenRequestContext, type Parties, partiesOf } from '../client/client-authentication.js';
import type { DpopKey } from './dpop-key.js';
import { hostOfUrl } from '../discovery/host-of.js';
import { loadOAuth, type OAuthLibrary, requestFields, requestOptions } from '../oauth.js';
import { type OAuthErrorPlace, toOAuthError } from '../oauth-error.js';
import { readTokenAnswer, tokensOf } from './token-response.js';
import { type NewTokens, toTokenSet } from './token-set.js';

export interface GrantRequest extends TokenRequestContext {
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly dpop?: DpopKey | undefined;
}

export interface TokenRequestOptions {
  readonly world: OAuthContext;
  /** Secrets in the request besides the client's own, to redact from errors. */
  readonly secrets?: readonly (Secret | undefined)[] | undefined;
}

/** Sends the request with one of the library's token functions. */
export type TokenAsk = (
  oauth: OAuthLibrary,
  parties: Parties,
  options: TokenEndpointRequestOptions,
) => Promise<Response>;

/** Sends a request to the token endpoint, and once more when the server demands a DPoP nonce. */
export async function requestToken(
  ask: TokenAsk,
  request: GrantRequest,
  { world, secrets = [] }: TokenRequestOptions,
): Promise<NewTokens> {
  const { target, issuer, client, scopes, dpop } = request;
  const place: OAuthErrorPlace = {
    name: target.name,
    doing: `${hostOfUrl(issuer.tokenEndpoint)} gave no token`,
    secrets: [client.clientSecret, target.settings.assertion, ...secrets],
  };
  try {
    const oauth = await loadOAuth();
    const parties = await partiesOf(request, world);
    const options = { ...requestOptions(oauth, world), ...(dpop && { DPoP: await dpop.handle() }) };
    let answer = await readTokenAnswer(await ask(oauth, parties, options));
    // https://www.rfc-editor.org/rfc/rfc9449#section-8: the handle has stored the nonce for the next proof.
    const isNonceMissed = dpop && answer.kind === 'refused' && answer.error === 'use_dpop_nonce';
    if (isNonceMissed) answer = await readTokenAnswer(await ask(oauth, parties, options));
    const type = dpop ? 'DPoP' : 'Bearer';
    return toTokenSet(tokensOf(answer, place), { name: target.name, now: world.wall(), type, scopes });
  } catch (error) {
    throw toOAuthError(error, place);
  }
}

/** Requests a token by a grant that consists of form fields only. */
export function requestByForm(
  { grant_type: grant, ...form }: Readonly<Record<string, string>> & { readonly grant_type: string },
  request: GrantRequest,
  options: TokenRequestOptions,
): Promise<NewTokens> {
  const parameters = { ...form, ...requestFields({ resource: request.resource }) };
  const ask: TokenAsk = (oauth, parties, sending) =>
    oauth.genericTokenEndpointRequest(...parties, grant, parameters, sending);
  return requestToken(ask, request, options);
}
