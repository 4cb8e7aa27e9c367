// RFC 9728, RFC 8414, RFC 7591, RFC 6749, RFC 7009: what a healthy server replies at each endpoint.
import { isObject, parseJson } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import type { HttpTurn, Reply } from '../http/http-turn.js';
import { type GivenTokens, type Grants, REUSED } from './grants.js';
import { refuse, type OAuthErrorBody } from './refusal.js';

export type PageName = 'resource' | 'issuer' | 'register' | 'authorize' | 'token' | 'revoke';

/** A request to one of the OAuth endpoints. */
export interface PageRequest {
  readonly name: PageName;
  /** The name under which the request is counted. */
  readonly counted: string;
  /** The query of a GET, the body of a POST. */
  readonly form: URLSearchParams;
}

/** The endpoint that the request goes to; undefined for an unknown path. */
export function toPage({ incoming }: HttpTurn): PageRequest | undefined {
  const mark = incoming.path.indexOf('?');
  const path = mark === -1 ? incoming.path : incoming.path.slice(0, mark);
  const name = pageNames.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1];
  if (name === undefined) return undefined;
  const form = new URLSearchParams(incoming.method === 'POST' ? incoming.body : incoming.path.slice(path.length));
  return { name, form, counted: name === 'token' ? `token ${form.get('grant_type') ?? ''}` : name };
}

const pageNames: readonly (readonly [start: string, name: PageName])[] = [
  ['/.well-known/oauth-protected-resource', 'resource'],
  ['/.well-known/oauth-authorization-server', 'issuer'],
  ['/register', 'register'],
  ['/authorize', 'authorize'],
  ['/token', 'token'],
  ['/revoke', 'revoke'],
];

/** The reply of a healthy server. `changes` replace fields of a metadata document. */
export async function goodReply(
  page: PageRequest,
  turn: HttpTurn,
  grants: Grants,
  changes: object = {},
): Promise<Reply> {
  switch (page.name) {
    case 'resource':
      return toJson({ ...resourceDocument(turn), ...changes });
    case 'issuer':
      return toJson({ ...issuerDocument(turn), ...changes });
    case 'register':
      return register(turn, grants);
    case 'authorize':
      return authorize(page.form, turn, grants);
    case 'token':
      return toTokenReply(await giveTokens(page.form, turn, grants));
    case 'revoke':
      grants.revoke(page.form.get('token') ?? '');
      return { status: 200 };
    default:
      return unreachable(page.name);
  }
}

export function resourceDocument({ url }: HttpTurn): object {
  return {
    resource: url,
    authorization_servers: [new URL(url).origin],
    scopes_supported: ['read'],
    bearer_methods_supported: ['header'],
  };
}

export function issuerDocument(turn: HttpTurn): object {
  const origin = issuerOf(turn);
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['read', 'write'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The issuer, under the host name that the client has used: the server has several names. */
export function issuerOf({ incoming }: HttpTurn): string {
  return `http://${incoming.headers['host'] ?? ''}`;
}

export function toJson(value: unknown, status = 200): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(value),
  };
}

function register({ incoming }: HttpTurn, grants: Grants): Reply {
  const metadata = parseJson(incoming.body);
  const uris: unknown = isObject(metadata) ? metadata['redirect_uris'] : undefined;
  if (!isObject(metadata) || !Array.isArray(uris) || uris.length === 0) {
    return toJson(refuse('invalid_redirect_uri', 'redirect_uris is missing'), 400);
  }
  const client = grants.register(uris.map(String));
  return toJson({ ...metadata, client_id: client, token_endpoint_auth_method: 'none' }, 201);
}

const ADDRESS_LIMIT = 8192; // characters; what browsers and web servers accept

/** Redirects back at once, with a code: there is no user to ask. */
function authorize(form: URLSearchParams, turn: HttpTurn, grants: Grants): Reply {
  const { incoming, url, count } = turn;
  const client = form.get('client_id') ?? '';
  const redirectUri = form.get('redirect_uri') ?? '';
  // An unknown client is not redirected: this page would be an open redirect.
  if (!grants.knows(client, redirectUri)) return toJson(refuse('invalid_client', 'no such client'), 400);
  const scope = form.get('scope') ?? '';
  if (incoming.path.length > ADDRESS_LIMIT) count('long address');
  if (!/^[\u0021\u0023-\u005b\u005d-\u007e ]*$/u.test(scope)) count('strange scope');
  if (form.get('code_challenge_method') !== 'S256') count('without PKCE');
  if (!form.get('state')) count('without state');
  if (form.get('resource') !== url) count('wrong resource');
  const request = { client, redirectUri, scope, challenge: form.get('code_challenge') ?? '', resource: url };
  return leadBack(form, { code: grants.grant(request), iss: issuerOf(turn) });
}

/** Redirects to the client's `redirect_uri`, with its `state` and these parameters. */
export function leadBack(form: URLSearchParams, answer: Readonly<Record<string, string>>): Reply {
  const back = new URL(form.get('redirect_uri') ?? '');
  const state = form.get('state');
  for (const [name, value] of Object.entries({ ...(state !== null && { state }), ...answer })) {
    back.searchParams.set(name, value);
  }
  return { status: 302, headers: { Location: back.href, 'Cache-Control': 'no-store' } };
}

async function giveTokens(
  form: URLSearchParams,
  turn: HttpTurn,
  grants: Grants,
): Promise<GivenTokens | OAuthErrorBody> {
  const client = form.get('client_id') ?? '';
  const resource = form.get('resource') ?? '';
  if (resource !== turn.url) turn.count('wrong resource');
  const type = form.get('grant_type') ?? '';
  switch (type) {
    case 'authorization_code': {
      const redirectUri = form.get('redirect_uri') ?? '';
      const hashed = await hash(form.get('code_verifier') ?? '');
      return grants.redeem(form.get('code') ?? '', { client, redirectUri, hashed, resource });
    }
    case 'refresh_token': {
      const given = grants.refresh(form.get('refresh_token') ?? '', { client, resource });
      if ('error' in given && given.error_description === REUSED) turn.count('reused refresh token');
      return given;
    }
    default:
      return refuse('unsupported_grant_type', 'authorization_code or refresh_token');
  }
}

function toTokenReply(given: GivenTokens | OAuthErrorBody): Reply {
  return toJson(given, 'error' in given ? 400 : 200);
}

async function hash(verifier: string): Promise<string> {
  // Imported lazily: few modes need it, and every start of a server would pay for it.
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(verifier).digest('base64url');
}
