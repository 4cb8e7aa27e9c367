// https://www.rfc-editor.org/rfc/rfc7591, https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
import { parseUrl } from '../../base/parse-url.js';
import type { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { Secret } from '../../base/secret.js';
import { nameWord } from '../../base/shell-word.js';
import { userlessGrant } from '../../model/oauth-settings.js';
import type { OAuthContext } from '../oauth-context.js';
import type { AuthorizationServer, ClientIdentity, CredentialRecord } from '../store/credential-record.js';
import { DEVICE_GRANT } from '../flows/device-code.js';
import { hostOfUrl, shownIssuer } from '../discovery/host-of.js';
import { loadOAuth, requestFields, requestOptions } from '../oauth.js';
import { answerText, isTransientStatus, signInFailure, toOAuthError } from '../oauth-error.js';
import type { SignInTarget } from '../sign-in-target.js';

export interface IdentifyOptions {
  /** Undefined for flows without a browser. */
  readonly redirectUri?: string | undefined;
  /** The client of an earlier sign-in at this same issuer. */
  readonly known?: ClientIdentity | undefined;
  readonly scopes: readonly string[];
}

/** The client to use: of the entry, of a metadata document, of an earlier sign-in, or newly registered. */
export async function identifyClient(
  target: SignInTarget,
  issuer: AuthorizationServer,
  options: IdentifyOptions,
  world: OAuthContext,
): Promise<ClientIdentity> {
  const { clientId, clientSecret, clientMetadataUrl } = target.settings;
  const { redirectUri, known } = options;
  if (clientId !== undefined && clientId !== '') return { clientId, clientSecret, redirectUri, origin: 'given' };
  if (clientMetadataUrl !== undefined && issuer.readsClientDocuments) {
    if (!isDocumentUrl(clientMetadataUrl))
      throw signInFailure(`Server "${target.name}": "oauth.clientMetadataUrl" must be an https URL with a path`);
    return { clientId: clientMetadataUrl, redirectUri, authMethod: 'none', origin: 'document' };
  }
  // These grants run without a user, so nobody could approve a newly registered client.
  const way = userlessGrant(target.settings);
  if (way) throw needsId(target, `${way === 'xaa' ? '"xaa"' : `the grant "${way}"`} needs "oauth.clientId"`);
  if (known && isUsable(known, { redirectUri, now: world.wall() })) return known;
  const { registrationEndpoint } = issuer;
  if (registrationEndpoint === undefined)
    throw needsId(target, `${hostOfUrl(issuer.issuer)} does not support dynamic client registration`);
  return await register(target, { ...issuer, registrationEndpoint }, options, world);
}

/**
 * Throws a HostError when a client that the user registered by hand would be used at another authorization server than
 * before: a compromised server could get its secret. One that the entry names is accepted.
 */
export function checkIssuer(
  { name, settings }: SignInTarget,
  { before, issuer }: { readonly before: CredentialRecord | undefined; readonly issuer: AuthorizationServer },
): void {
  if (before?.client.origin !== 'given' || settings.authServerMetadataUrl !== undefined) return;
  // An issuer that was assumed before has no trailing slash; the metadata that it publishes later may have one.
  const [now = '', then = ''] = [issuer, before.issuer].map((one) => one.issuer.replace(/\/$/u, ''));
  if (now === then) return;
  throw signInFailure(
    `Server "${name}" names another authorization server than before, ${shownIssuer(now)} instead of ${shownIssuer(then)}, and "oauth.clientId" of its entry belongs to the earlier one`,
    {
      hint: `If the server has moved: plugboard logout ${nameWord(name)}, put the client ID of the new one into its entry, and sign in again`,
    },
  );
}

const ID_LIMIT = 4_096;
const PRINTABLE = /^[\x20-\x7e]+$/u;
const ABOUT_TO_EXPIRE_MS = 60_000;

function isDocumentUrl(text: string): boolean {
  const url = parseUrl(text);
  return url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && url.username === '';
}

/** Authorization servers compare redirect URIs exactly, so another redirect URI needs another registration. */
function isUsable(
  known: ClientIdentity,
  { redirectUri, now }: { readonly redirectUri: string | undefined; readonly now: number },
): boolean {
  if (known.origin !== 'registered') return false;
  if (redirectUri !== undefined && known.redirectUri !== redirectUri) return false;
  return known.secretExpiresAt === undefined || known.secretExpiresAt > now + ABOUT_TO_EXPIRE_MS;
}

async function register(
  target: SignInTarget,
  { issuer, registrationEndpoint, authMethods }: AuthorizationServer & { readonly registrationEndpoint: string },
  { redirectUri, scopes }: IdentifyOptions,
  world: OAuthContext,
): Promise<ClientIdentity> {
  const oauth = await loadOAuth();
  const doing = `${hostOfUrl(issuer)} did not register Plugboard`;
  try {
    const response = await oauth.dynamicClientRegistrationRequest(
      { issuer, registration_endpoint: registrationEndpoint },
      {
        client_name: `Plugboard (${target.name})`,
        redirect_uris: redirectUri === undefined ? [] : [redirectUri],
        application_type: 'native',
        grant_types: [redirectUri === undefined ? DEVICE_GRANT : 'authorization_code', 'refresh_token'],
        response_types: redirectUri === undefined ? [] : ['code'],
        token_endpoint_auth_method: methodFor(authMethods),
        ...requestFields({ scopes }),
      },
      requestOptions(oauth, world),
    );
    return toIdentity(await readRegistration(response, { target, redirectUri, doing }), { target, redirectUri, doing });
  } catch (error) {
    throw toOAuthError(error, { name: target.name, doing });
  }
}

/** Registers without a secret where possible: everyone who has this program could read the secret. */
function methodFor(authMethods: readonly string[] = []): string {
  if (authMethods.length === 0 || authMethods.includes('none')) return 'none';
  return ['client_secret_basic', 'client_secret_post'].find((method) => authMethods.includes(method)) ?? 'none';
}

/** Throws with the reason when registration failed. The library's reader accepts only 201 with all fields. */
async function readRegistration(
  response: Response,
  { target, doing, redirectUri }: Registration,
): Promise<{ readonly [field: string]: unknown }> {
  const { status } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  if (isTransientStatus(status))
    throw signInFailure(`Server "${target.name}": ${doing}: it answered HTTP ${status}${whyOf(answer, target)}`, {
      hint: 'Try again in a moment',
      isTransient: true,
    });
  if (!response.ok) throw needsId(target, `${doing} (HTTP ${status})${whyOf(answer, target)}`);
  if (!isObject(answer)) throw needsId(target, `${doing}: its answer is not a JSON object`);
  const other = otherAddress(answer['redirect_uris'], redirectUri);
  if (other !== undefined)
    throw needsId(target, `${doing} as requested: it would send the answer also, or only, to ${shownIssuer(other)}`);
  return answer;
}

/** The error in a registration response: https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2 */
function whyOf(answer: unknown, { name }: SignInTarget): string {
  if (!isObject(answer)) return '';
  const [error, description] = ['error', 'error_description'].map((field) => {
    const said = answer[field];
    return typeof said === 'string' && said.trim() !== '' ? said : undefined;
  });
  if (error === undefined && description === undefined) return '';
  return `: ${answerText({ error: error ?? 'refused', description }, { name, doing: '' })}`;
}

/** A registered redirect URI that is not ours. A response without `redirect_uris` has accepted ours. */
function otherAddress(registered: unknown, ours: string | undefined): string | undefined {
  const addresses: readonly unknown[] = Array.isArray(registered) ? registered : [registered ?? ours];
  const other = addresses.find((address) => address !== ours);
  return other === undefined ? undefined : typeof other === 'string' ? other : JSON.stringify(other);
}

interface Registration {
  readonly target: SignInTarget;
  readonly doing: string;
  readonly redirectUri: string | undefined;
}

function toIdentity(answer: { readonly [field: string]: unknown }, registration: Registration): ClientIdentity {
  const clientId = printable(answer, 'client_id', registration);
  if (clientId === undefined) throw needsId(registration.target, `${registration.doing}: its answer has no client_id`);
  const secret = printable(answer, 'client_secret', registration);
  const { client_secret_expires_at: expires, token_endpoint_auth_method: method } = answer;
  return {
    clientId,
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    origin: 'registered',
    authMethod: typeof method === 'string' && method.length <= ID_LIMIT ? method : undefined,
    redirectUri: registration.redirectUri,
    // 0 means in RFC 7591 that the secret never expires.
    secretExpiresAt: secret !== undefined && typeof expires === 'number' && expires > 0 ? expires * 1_000 : undefined,
  };
}

function printable(
  answer: { readonly [field: string]: unknown },
  field: 'client_id' | 'client_secret',
  { target, doing }: Registration,
): string | undefined {
  const value = answer[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.length <= ID_LIMIT && PRINTABLE.test(value)) return value;
  throw needsId(
    target,
    `${doing}: its ${field} is not a string, has more than ${ID_LIMIT} characters, or some that cannot be printed`,
  );
}

function needsId({ name }: SignInTarget, why: string): HostError {
  return signInFailure(`Server "${name}": ${why}`, {
    hint: `Register an OAuth client there by hand, then run with its client ID: plugboard login ${nameWord(name)} --client-id ID`,
  });
}
