// The client credentials grant: https://www.rfc-editor.org/rfc/rfc6749#section-4.4
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authority } from './authority.js';

/** An authorization server for clients that have a secret and no user. */
export interface RobotServer extends Authority, AsyncDisposable {
  /** The client secrets that requests have brought, in order. */
  readonly secrets: string[];
}

export async function openRobotServer({ secret }: { readonly secret: string }): Promise<RobotServer> {
  const secrets: string[] = [];
  /** The resource of each token. */
  const given = new Map<string, string | undefined>();
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const [status, answer] =
        request.url === '/token' ? grant(request.headers.authorization ?? '', body) : known(request.url);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    issuer,
    secrets,
    check: async (token) =>
      given.has(token) ? { audience: given.get(token), scopes: ['read'], account: 'robot' } : undefined,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  function grant(authorization: string, body: string): [number, object] {
    const [, shown = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8').split(':');
    secrets.push(shown);
    if (shown !== secret) return [401, { error: 'invalid_client' }];
    const token = `token-${given.size}`;
    given.set(token, new URLSearchParams(body).get('resource') ?? undefined);
    return [200, { access_token: token, token_type: 'Bearer', expires_in: 3_600, scope: 'read' }];
  }

  function known(path: string | undefined): [number, object] {
    if (path !== '/.well-known/oauth-authorization-server') return [404, {}];
    return [
      200,
      {
        issuer,
        token_endpoint: `${issuer}/token`,
        authorization_endpoint: `${issuer}/authorize`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        code_challenge_methods_supported: ['S256'],
      },
    ];
  }
}
