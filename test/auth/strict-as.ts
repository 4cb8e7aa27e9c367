// A strict authorization server without a library: https://www.rfc-editor.org/rfc/rfc6749,
// https://www.rfc-editor.org/rfc/rfc7636, https://www.rfc-editor.org/rfc/rfc8414
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Authority, count, emptyTally, type Tally } from './authority.js';
import { suffer, type TokenFault } from './token-fault.js';

export interface StrictOptions {
  /** Lifetime of an access token, sent as `expires_in`. 0: no `expires_in`, and tokens do not expire. Default: 3600. */
  readonly tokenSeconds?: number;
  /** How long a used refresh token may be used again. Default: 0. */
  readonly graceMs?: number;
}

/** An authorization server whose refresh tokens work once: a second use ends the sign-in. Every visitor consents. */
export interface StrictServer extends Authority, AsyncDisposable {
  readonly tally: Tally;
  fault: TokenFault | undefined;
  /** Sign-ins that ended because a refresh token was used twice. */
  reuses: number;
  /** Invalidates all access tokens issued so far. */
  expire(): void;
  /** Resolves when this many refreshes have been granted, whether or not the responses arrived. */
  untilRefreshed(times: number): Promise<void>;
}

export async function openStrictServer({
  tokenSeconds = 3_600,
  graceMs = 0,
}: StrictOptions = {}): Promise<StrictServer> {
  const tally = emptyTally();
  const tokens = new Map<string, Access>();
  const codes = new Map<string, { readonly challenge: string; readonly family: Family }>();
  const refreshTokens = new Map<string, { readonly family: Family; usedAt?: number }>();
  const waiting = new Set<() => void>();
  const http = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: StrictServer = {
    issuer,
    tally,
    fault: undefined,
    reuses: 0,
    async check(token) {
      const access = tokens.get(token);
      if (!access || access.family.isEnded || access.until <= performance.now()) return undefined;
      return { audience: access.family.resource, scopes: access.family.scopes, account: 'somebody' };
    },
    expire: () => tokens.clear(),
    untilRefreshed: (times) =>
      new Promise((resolve) => {
        const look = (): void => void ((tally.granted['refresh_token'] ?? 0) >= times && resolve());
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        tally.discoveries++;
        return send(response, 200, describe(issuer));
      case '/register':
        tally.registrations++;
        return send(response, 201, { ...JSON.parse(await read(request)), client_id: randomUUID() });
      case '/authorize':
        return authorize(searchParams, response);
      case '/revoke': {
        tally.revocations++;
        const held = refreshTokens.get(new URLSearchParams(await read(request)).get('token') ?? '');
        if (held) held.family.isEnded = true;
        return send(response, 200, {});
      }
      case '/token': {
        const fields = new URLSearchParams(await read(request));
        const grant = fields.get('grant_type') ?? 'none';
        count(tally.tokens, grant);
        if (!(await suffer(server.fault, request, response))) return;
        const family = grant === 'refresh_token' ? refreshed(fields) : exchanged(fields);
        if (!family) return send(response, 400, { error: 'invalid_grant' });
        count(tally.granted, grant);
        for (const look of waiting) look();
        return send(response, 200, give(family));
      }
      default:
        return send(response, 404, {});
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const scopes = (query.get('scope') ?? '').split(' ');
    const family = { resource: query.get('resource') ?? undefined, scopes, isEnded: false };
    codes.set(code, { challenge: query.get('code_challenge') ?? '', family });
    const location = new URL(query.get('redirect_uri') ?? '');
    location.search = new URLSearchParams({ code, state: query.get('state') ?? '', iss: issuer }).toString();
    response.writeHead(302, { location: location.href }).end();
  }

  function exchanged(fields: URLSearchParams): Family | undefined {
    const held = codes.get(fields.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(fields.get('code_verifier') ?? '')
      .digest('base64url');
    codes.delete(fields.get('code') ?? '');
    return held?.challenge === challenge ? held.family : undefined;
  }

  function refreshed(fields: URLSearchParams): Family | undefined {
    const held = refreshTokens.get(fields.get('refresh_token') ?? '');
    if (!held || held.family.isEnded) return undefined;
    if (held.usedAt !== undefined && performance.now() - held.usedAt >= graceMs) {
      server.reuses++;
      held.family.isEnded = true;
      return undefined;
    }
    held.usedAt ??= performance.now();
    return held.family;
  }

  function give(family: Family): object {
    const [access, refresh] = [randomUUID(), randomUUID()];
    const until = tokenSeconds === 0 ? Infinity : performance.now() + tokenSeconds * 1_000;
    tokens.set(access, { family, until });
    refreshTokens.set(refresh, { family });
    const lifetime = tokenSeconds > 0 && { expires_in: tokenSeconds };
    return {
      access_token: access,
      token_type: 'Bearer',
      refresh_token: refresh,
      scope: family.scopes.join(' '),
      ...lifetime,
    };
  }
}

/** What all tokens of one sign-in share. */
interface Family {
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  isEnded: boolean;
}

interface Access {
  readonly family: Family;
  readonly until: number;
}

function describe(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request as AsyncIterable<Buffer>) text += piece.toString('utf8');
  return text;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
