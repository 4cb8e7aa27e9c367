import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Context, Provider } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { type Authority, count, emptyTally, type Granted, type Tally } from './authority.js';
import { readJwt } from './jwt.js';
import { suffer, type TokenFault } from './token-fault.js';

export interface OidcOptions {
  /** Lifetime of an access token. Default: 3600. */
  readonly tokenSeconds?: number;
  /** The scopes that a client may request. */
  readonly scopes?: readonly string[];
  readonly format?: 'opaque' | 'jwt';
  /** Clients that are registered from the start, in oidc-provider's format. */
  readonly clients?: readonly object[];
  /** Whether dynamic client registration is enabled. Default: true. */
  readonly registers?: boolean;
  /** Whether every DPoP proof must have a nonce. */
  readonly nonces?: boolean;
}

/** A real authorization server (oidc-provider) on loopback. Every visitor is signed in and consents. */
export interface OidcServer extends Authority, AsyncDisposable {
  readonly tally: Tally;
  /** The account that a visitor is signed in as. */
  account: string;
  /** The fault of all requests to the token endpoint, until a test sets it to undefined. */
  fault: TokenFault | undefined;
  /** The values of `resource` in requests, in order. */
  readonly resources: string[];
}

export async function openOidcServer(options: OidcOptions = {}): Promise<OidcServer> {
  const http = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tally = emptyTally();
  const key = {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
    ...SIGNING,
  };
  const resources: string[] = [];
  const provider = new Provider(issuer, toConfiguration(options, key, resources));
  provider.use((context, next) => note(tally, context, next));
  const answer = provider.callback();
  const server: OidcServer = {
    issuer,
    tally,
    account: 'somebody',
    fault: undefined,
    resources,
    check: (token) => (options.format === 'jwt' ? checkJwt(token, issuer, key) : checkOpaque(provider, token)),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '', issuer).pathname;
    // oidc-provider serves its metadata only under the OpenID path.
    if (path === '/.well-known/oauth-authorization-server') request.url = '/.well-known/openid-configuration';
    if (path.startsWith('/interaction/')) return agree(provider, { request, response, account: server.account });
    if (path === '/token' && server.fault?.kind === 'answer') count(tally.tokens, 'faulty');
    if (path === '/token' && !(await suffer(server.fault, request, response))) return;
    return answer(request, response);
  }
}

const SIGNING = { kid: 'only', alg: 'ES256', use: 'sig' } as const;

function toConfiguration(options: OidcOptions, key: object, resources: string[]): object {
  const { tokenSeconds = 3_600, scopes = ['read', 'write', 'admin'], format = 'opaque', clients = [] } = options;
  const getResourceServerInfo = (_context: unknown, resource: string): object => {
    resources.push(resource);
    return {
      scope: scopes.join(' '),
      audience: resource,
      accessTokenFormat: format,
      accessTokenTTL: tokenSeconds,
      jwt: { sign: { alg: 'ES256' } },
    };
  };
  return {
    clients,
    adapter: createMemoryAdapter(0),
    clockTolerance: 0,
    scopes: ['openid', 'offline_access', ...scopes],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for tests'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { clientAuthSigningAlgValues: ['ES256', 'RS256'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_context: unknown, client: GrantingClient) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: tokenSeconds,
      ClientCredentials: tokenSeconds,
      RefreshToken: 86_400,
      Session: 86_400,
      Grant: 86_400,
      Interaction: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: 3_600,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, ...DEVICE_PAGES },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      registration: { enabled: options.registers ?? true },
      dPoP: { enabled: true, ...(options.nonces && { nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true }) },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo,
        defaultResource: (_context: unknown, _client: unknown, some: unknown) => some,
        useGrantedResource: () => true,
      },
    },
  };
}

interface GrantingClient {
  grantTypeAllowed(type: string): boolean;
}

const DEVICE_PAGES = {
  userCodeInputSource: (context: { body: string }, form: string) => void (context.body = form),
  userCodeConfirmSource: (context: { body: string }, form: string) => void (context.body = form),
  successSource: (context: { body: string }) => void (context.body = 'You may go back to the other machine'),
};

async function note(tally: Tally, context: Context, next: () => Promise<void>): Promise<void> {
  if (context.path === '/.well-known/openid-configuration') tally.discoveries++;
  await next();
  const grant = context.oidc?.params?.['grant_type'] ?? 'none';
  const isDone = context.status < 400;
  switch (context.path) {
    case '/token':
      count(tally.tokens, grant);
      if (isDone) count(tally.granted, grant);
      return;
    case '/token/revocation':
      if (isDone) tally.revocations++;
      return;
    case '/reg':
      if (isDone) tally.registrations++;
  }
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: string;
}

/** Completes the provider's pending interaction: login or consent. */
async function agree(provider: Provider, { request, response, account }: Visit): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const finish = (result: object): Promise<void> =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  if (prompt.name === 'login') return finish({ login: { accountId: account } });
  const grant =
    grantId === undefined
      ? new provider.Grant({ accountId: session?.accountId ?? account, clientId: params.client_id })
      : await provider.Grant.find(grantId);
  const { missingOIDCScope, missingResourceScopes } = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  return finish({ consent: { grantId: await grant.save() } });
}

async function checkOpaque(provider: Provider, value: string): Promise<Granted | undefined> {
  const token = (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value));
  return (
    token && {
      audience: [token.aud].flat()[0],
      scopes: token.scope?.split(' ') ?? [],
      account: token.accountId ?? token.clientId,
      key: token.jkt,
    }
  );
}

async function checkJwt(value: string, issuer: string, key: JsonWebKey): Promise<Granted | undefined> {
  const claims = readJwt(value, () => key)?.claims;
  if (!claims || claims['iss'] !== issuer || Number(claims['exp']) * 1_000 <= Date.now()) return undefined;
  return {
    audience: String(claims['aud']),
    scopes: (claims['scope'] as string | undefined)?.split(' ') ?? [],
    account: String(claims['sub']),
    key: (claims['cnf'] as { jkt?: string } | undefined)?.jkt,
  };
}
