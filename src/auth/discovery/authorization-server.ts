// https://www.rfc-editor.org/rfc/rfc8414, https://openid.net/specs/openid-connect-discovery-1_0.html
import { attempt } from '../../base/attempt.js';
import type { JsonObject } from '../../base/json.js';
import { parseUrl } from '../../base/parse-url.js';
import { sameOrigin } from '../../model/urls/canonical-url.js';
import { gateAuth, originsOf } from '../auth-gate.js';
import type { OAuthContext } from '../oauth-context.js';
import type { AuthorizationServer } from '../store/credential-record.js';
import { hostOfUrl, shownIssuer } from './host-of.js';
import { readMetadata } from './metadata-document.js';
import { signInFailure } from '../oauth-error.js';
import type { SignInTarget } from '../sign-in-target.js';

/**
 * Reads the metadata of an authorization server from its well-known URLs; undefined when none of them has any.
 * `spellings`: other spellings of the issuer to accept, for an issuer that we derived ourselves.
 */
export async function readAuthorizationServer(
  issuer: string,
  { target, world, spellings = [] }: { target: SignInTarget; world: OAuthContext; spellings?: readonly string[] },
): Promise<AuthorizationServer | undefined> {
  const { name, settings } = target;
  const named = parseUrl(issuer);
  if (!named) throw signInFailure(`Server "${name}" names an authorization server that is not a URL`);
  for (const url of placesOf(named)) {
    const document = await readMetadata(url, { name, world });
    if (!document) continue;
    const said = document['issuer'];
    if (said !== issuer && !spellings.some((one) => one === said) && settings.allowIssuerMismatch !== true)
      throw issuerMismatch(name, { used: issuer, said });
    return toAuthorizationServer(document, { target, issuer });
  }
  return undefined;
}

/** Reads metadata at the URL in the entry. Its issuer must have that origin, unless `allowIssuerMismatch`. */
export async function readNamedServer(
  metadataUrl: string,
  { target, world }: { target: SignInTarget; world: OAuthContext },
): Promise<AuthorizationServer> {
  const { name } = target;
  const document = await readMetadata(metadataUrl, { name, world });
  const hint = 'Check "oauth.authServerMetadataUrl" of its entry';
  if (!document) throw signInFailure(`Server "${name}": there is no metadata at ${hostOfUrl(metadataUrl)}`, { hint });
  const said = document['issuer'];
  if (typeof said !== 'string' || !parseUrl(said))
    throw signInFailure(`Server "${name}": the metadata at ${hostOfUrl(metadataUrl)} names no issuer`, { hint });
  // The author of a document that names another issuer would receive that issuer's codes, assertions and grants.
  if (!sameOrigin(new URL(said), new URL(metadataUrl)) && target.settings.allowIssuerMismatch !== true)
    throw signInFailure(
      `Server "${name}": the metadata at ${hostOfUrl(metadataUrl)} names another issuer, "${shownIssuer(said)}"`,
      {
        hint: `${hint}; if you trust it, set "oauth.allowIssuerMismatch": true there`,
      },
    );
  return toAuthorizationServer(document, { target, issuer: said });
}

/** For a server without any metadata, as 2025-03-26 allows: its own origin with the default paths. */
export function assumedServer(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorizationEndpoint: new URL('/authorize', origin).href,
    tokenEndpoint: new URL('/token', origin).href,
    registrationEndpoint: new URL('/register', origin).href,
    saysIss: false,
    readsClientDocuments: false,
    isAssumed: true,
  };
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-metadata-discovery */
function placesOf({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/u, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`);
  return places.map((place) => origin + place);
}

function toAuthorizationServer(
  document: JsonObject,
  { target, issuer }: { readonly target: SignInTarget; readonly issuer: string },
): AuthorizationServer {
  const endpoint = (field: string, purpose: 'open' | 'sign-in') => gatedEndpoint(document, { field, purpose, target });
  const said = document['issuer'];
  const tokenEndpoint = endpoint('token_endpoint', 'sign-in');
  if (tokenEndpoint === undefined)
    throw signInFailure(
      `Server "${target.name}": the authorization server ${hostOfUrl(issuer)} names no token endpoint`,
    );
  return {
    issuer: typeof said === 'string' && said !== '' && said.length <= ISSUER_LIMIT ? said : issuer,
    authorizationEndpoint: endpoint('authorization_endpoint', 'open'),
    tokenEndpoint,
    // Optional endpoints: one that the URL gate refuses is left out and never requested.
    registrationEndpoint: attempt(() => endpoint('registration_endpoint', 'sign-in')),
    revocationEndpoint: attempt(() => endpoint('revocation_endpoint', 'sign-in')),
    deviceEndpoint: attempt(() => endpoint('device_authorization_endpoint', 'sign-in')),
    scopesSupported: words(document['scopes_supported']),
    authMethods: words(document['token_endpoint_auth_methods_supported']),
    grantTypes: words(document['grant_types_supported']),
    codeChallengeMethods: words(document['code_challenge_methods_supported']),
    dpopAlgorithms: words(document['dpop_signing_alg_values_supported']),
    saysIss: document['authorization_response_iss_parameter_supported'] === true,
    readsClientDocuments: document['client_id_metadata_document_supported'] === true,
    isAssumed: false,
  };
}

const ISSUER_LIMIT = 2_048;
const WORD_LIMIT = 200;
const WORDS_LIMIT = 1_000;

/** Undefined when missing. Throws when the URL gate refuses the endpoint, which suggests an attack. */
function gatedEndpoint(
  document: JsonObject,
  { field, purpose, target }: { field: string; purpose: 'open' | 'sign-in'; target: SignInTarget },
): string | undefined {
  const value = document[field];
  if (value === undefined || value === null || value === '') return undefined;
  const gated = typeof value === 'string' ? gateAuth(value, { purpose, origins: originsOf(target) }) : undefined;
  if (gated?.ok === true && typeof value === 'string') return purpose === 'open' ? gated.href : value;
  const reason = gated && !gated.ok ? gated.reason : 'It is not a string.';
  throw signInFailure(`Server "${target.name}": the ${field} of its authorization server is refused. ${reason}`, {
    hint: 'Ask its operator to fix this; nothing was opened, and nothing sent',
  });
}

function words(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, WORDS_LIMIT)
    .filter((word): word is string => typeof word === 'string' && word.length <= WORD_LIMIT);
}

function issuerMismatch(name: string, { used, said }: { readonly used: string; readonly said: unknown }): Error {
  const spelt = typeof said === 'string' ? `"${shownIssuer(said)}"` : 'nothing';
  return signInFailure(
    `Server "${name}": its authorization server was named as "${shownIssuer(used)}" and calls itself ${spelt}`,
    { hint: 'Ask its operator to fix this; if you trust it, set "oauth.allowIssuerMismatch": true in its entry' },
  );
}
