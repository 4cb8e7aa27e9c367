// https://www.rfc-editor.org/rfc/rfc7591, https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
import { parseUrl } from '../base/parse-url.js';
import type { HostError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { Secret } from '../base/secret.js';
import { nameWord } from '../base/shell-word.js';
import { gateLine } from '../model/text-gate.js';
import type { AuthFetch } from './auth-fetch.js';
import type { AuthWorld } from './auth-world.js';
import { toMetadata } from './authorization-server.js';
import type { AuthorizationServer, ClientIdentity, CredentialRecord } from './credential-record.js';
import { hostOf } from './host-of.js';
import { answerText, isTransientStatus, signInFailure, toOAuthError } from './oauth-error.js';
import { loadSdk } from './sdk.js';
import type { SignInTarget } from './sign-in-target.js';

export interface IdentifyOptions {
  /** Where the browser comes back to; undefined for flows without one. */
  readonly redirectUri?: string | undefined;
  /** From an earlier sign-in at this very issuer. */
  readonly known?: ClientIdentity | undefined;
  readonly scopes: readonly string[];
}

/** Who we are to an authorization server: as the entry says, by a document, as before, or newly registered. */
export async function identifyClient(
  target: SignInTarget,
  issuer: AuthorizationServer,
  options: IdentifyOptions,
  world: AuthWorld,
): Promise<ClientIdentity> {
  const { clientId, clientSecret, clientMetadataUrl, grant, xaa } = target.settings;
  const { redirectUri, known } = options;
  if (clientId !== undefined && clientId !== '') return { clientId, clientSecret, redirectUri, origin: 'given' };
  if (clientMetadataUrl !== undefined && issuer.readsClientDocuments) {
    if (!isDocumentUrl(clientMetadataUrl))
      throw signInFailure(`Server "${target.name}": "oauth.clientMetadataUrl" must be an https URL with a path`);
    return { clientId: clientMetadataUrl, redirectUri, authMethod: 'none', origin: 'document' };
  }
  // Nobody is there to agree to a program that has just registered itself.
  if (xaa === true || grant === 'client_credentials' || grant === 'jwt_bearer')
    throw needsId(target, `${xaa === true ? '"xaa"' : `the grant "${grant}"`} needs "oauth.clientId"`);
  if (known && isUsable(known, { redirectUri, now: world.wall() })) return known;
  if (issuer.registrationEndpoint === undefined)
    throw needsId(target, `${hostOf(issuer.issuer)} does not register programs by itself`);
  return await register(target, issuer, options, world);
}

/**
 * Throws a HostError when a client that somebody registered by hand would be shown to another authorization server than before:
 * a server that is no longer what it was could have its secret that way. Whom the entry itself names is as it should be.
 */
export function checkIssuer(
  { name, settings }: SignInTarget,
  { before, issuer }: { readonly before: CredentialRecord | undefined; readonly issuer: AuthorizationServer },
): void {
  if (before?.client.origin !== 'given' || settings.authServerMetadataUrl !== undefined) return;
  // One that did not describe itself before, and does now, may put a slash behind its name.
  const [now = '', then = ''] = [issuer, before.issuer].map((one) => one.issuer.replace(/\/$/u, ''));
  if (now === then) return;
  throw signInFailure(
    `Server "${name}" names another authorization server than before, ${shown(now)} instead of ${shown(then)}, and "oauth.clientId" of its entry belongs to that one`,
    {
      hint: `If it has moved: plugboard logout ${nameWord(name)}, put the client of the new one into its entry, and sign in again`,
    },
  );
}

function shown(issuer: string): string {
  return gateLine(issuer, { limit: 200 }).text;
}

const ID_LIMIT = 4_096;
const PRINTABLE = /^[\x20-\x7e]+$/u;
const ABOUT_TO_EXPIRE_MS = 60_000;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

function isDocumentUrl(text: string): boolean {
  if (!parseUrl(text)) return false;
  const { protocol, pathname, hash, username } = new URL(text);
  return protocol === 'https:' && pathname !== '/' && hash === '' && username === '';
}

/** Servers compare the address of the callback exactly, so another one takes another registration. */
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
  issuer: AuthorizationServer,
  { redirectUri, scopes }: IdentifyOptions,
  world: AuthWorld,
): Promise<ClientIdentity> {
  const { registerClient } = await loadSdk();
  const method = methodFor(issuer);
  const doing = `${hostOf(issuer.issuer)} did not register Plugboard`;
  try {
    const answer = await registerClient(issuer.issuer, {
      metadata: toMetadata(issuer),
      clientMetadata: {
        client_name: `Plugboard (${target.name})`,
        redirect_uris: redirectUri === undefined ? [] : [redirectUri],
        application_type: 'native',
        grant_types: [redirectUri === undefined ? DEVICE_GRANT : 'authorization_code', 'refresh_token'],
        response_types: redirectUri === undefined ? [] : ['code'],
        token_endpoint_auth_method: method,
      },
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      fetchFn: registrationFetch(world.fetch, { target, doing, redirectUri }),
    });
    return toIdentity(answer, { target, redirectUri, doing });
  } catch (error) {
    throw toOAuthError(error, { name: target.name, doing });
  }
}

/** Without a secret where that is possible: everyone who has this program could read it. */
function methodFor({ authMethods = [] }: AuthorizationServer): string {
  if (authMethods.length === 0 || authMethods.includes('none')) return 'none';
  return ['client_secret_basic', 'client_secret_post'].find((method) => authMethods.includes(method)) ?? 'none';
}

/** Says by name why there is no registration, before the SDK puts the whole answer into a text. */
function registrationFetch(fetch: AuthFetch, { target, doing, redirectUri }: Registration): AuthFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status } = response;
    const answer: unknown = await response.json().catch(() => undefined);
    if (isTransientStatus(status))
      throw signInFailure(`Server "${target.name}": ${doing}: it answered HTTP ${status}${whyOf(answer, target)}`, {
        hint: 'Try again in a moment',
        isTransient: true,
      });
    if (!response.ok) throw needsId(target, `${doing} (HTTP ${status})${whyOf(answer, target)}`);
    if (!isObject(answer)) throw needsId(target, `${doing}: its answer is no JSON`);
    const other = otherAddress(answer['redirect_uris'], redirectUri);
    if (other !== undefined)
      throw needsId(
        target,
        `${doing} as it was asked to: it would send the answer to ${shown(other)} as well or instead`,
      );
    // Whatever else it says is ours said back, now and then in a form that the SDK refuses.
    const said = FIELDS.map((field) => [field, answer[field]] as const);
    const kept = Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== null && value !== ''));
    return Response.json({ ...kept, redirect_uris: redirectUri === undefined ? [] : [redirectUri] });
  };
}

/** What it says about its no: https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2 */
function whyOf(answer: unknown, { name }: SignInTarget): string {
  if (!isObject(answer)) return '';
  const [error, description] = ['error', 'error_description'].map((field) => {
    const said = answer[field];
    return typeof said === 'string' && said.trim() !== '' ? said : undefined;
  });
  if (error === undefined && description === undefined) return '';
  return `: ${answerText({ error: error ?? 'refused', description }, { name, doing: '' })}`;
}

/** An address that the browser could be sent back to and that is not ours. One that says nothing about it has taken ours. */
function otherAddress(registered: unknown, ours: string | undefined): string | undefined {
  const addresses: readonly unknown[] = Array.isArray(registered) ? registered : [registered ?? ours];
  const other = addresses.find((address) => address !== ours);
  return other === undefined ? undefined : typeof other === 'string' ? other : JSON.stringify(other);
}

const FIELDS = ['client_id', 'client_secret', 'client_secret_expires_at', 'token_endpoint_auth_method'];

interface Registration {
  readonly target: SignInTarget;
  readonly doing: string;
  readonly redirectUri: string | undefined;
}

interface Registered {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly client_secret_expires_at?: number | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
}

function toIdentity(answer: Registered, { target, redirectUri, doing }: Registration): ClientIdentity {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires = 0 } = answer;
  for (const [field, value] of [
    ['client_id', clientId],
    ['client_secret', secret],
  ] as const) {
    if (value === undefined) continue;
    if (value.length > ID_LIMIT || !PRINTABLE.test(value))
      throw needsId(
        target,
        `${doing}: its ${field} has more than ${ID_LIMIT} characters, or some that cannot be printed`,
      );
  }
  const method = answer.token_endpoint_auth_method;
  return {
    clientId,
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    origin: 'registered',
    authMethod: method !== undefined && method.length <= ID_LIMIT ? method : undefined,
    redirectUri,
    // 0 is how RFC 7591 says never.
    secretExpiresAt: secret !== undefined && Number.isFinite(expires) && expires > 0 ? expires * 1_000 : undefined,
  };
}

function needsId({ name }: SignInTarget, why: string): HostError {
  return signInFailure(`Server "${name}": ${why}`, {
    hint: `Register a program there by hand, then, with the id that it got: plugboard login ${nameWord(name)} --client-id ID`,
  });
}
