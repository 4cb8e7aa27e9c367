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

/** Whom a token is asked of, by whom and for what. */
export interface GrantRequest extends TokenRequestContext {
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly dpop?: DpopKey | undefined;
}

export interface TokenRequestOptions {
  readonly world: OAuthContext;
  /** What is sent besides the client's own. */
  readonly secrets?: readonly (Secret | undefined)[] | undefined;
}

/** Sends it by one of the library's functions for tokens. */
export type TokenAsk = (
  oauth: OAuthLibrary,
  parties: Parties,
  options: TokenEndpointRequestOptions,
) => Promise<Response>;

/** One request to the token endpoint. */
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
    // https://www.rfc-editor.org/rfc/rfc9449#section-8: the handle has noted which nonce the next proof must have.
    const isNonceMissed = dpop && answer.kind === 'refused' && answer.error === 'use_dpop_nonce';
    if (isNonceMissed) answer = await readTokenAnswer(await ask(oauth, parties, options));
    const type = dpop ? 'DPoP' : 'Bearer';
    return toTokenSet(tokensOf(answer, place), { name: target.name, now: world.wall(), type, scopes });
  } catch (error) {
    throw toOAuthError(error, place);
  }
}

/** The same for a grant that is a form and nothing else. */
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
