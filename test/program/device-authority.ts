// An authorization server for the device flow: https://www.rfc-editor.org/rfc/rfc8628
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authority } from '../auth/authority.js';

export interface DeviceAuthority extends Authority, AsyncDisposable {
  /** The user has entered the code. */
  approve(): void;
}

const TOKEN = 'token-of-a-device';

/** Issues one device code and one token. */
export async function openDeviceAuthority(): Promise<DeviceAuthority> {
  let isApproved = false;
  let resource: string | undefined;
  const http = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    issuer,
    approve: () => void (isApproved = true),
    check: async (token) =>
      token === TOKEN ? { audience: resource, scopes: ['read'], account: 'somebody' } : undefined,
    [Symbol.asyncDispose]: () => new Promise((done) => void http.close(() => done())),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    const { pathname } = new URL(request.url ?? '', issuer);
    const text = await read(request);
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return [200, describe(issuer)];
      case '/register':
        return [201, { ...(JSON.parse(text) as object), client_id: 'a-device' }];
      case '/device':
        resource = new URLSearchParams(text).get('resource') ?? undefined;
        return [
          200,
          { ...CODES, verification_uri: `${issuer}/go`, verification_uri_complete: `${issuer}/go?code=WDJB` },
        ];
      case '/token':
        if (!isApproved) return [400, { error: 'authorization_pending' }];
        return [200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 }];
      default:
        return [404, {}];
    }
  }
}

const CODES = { device_code: 'of-the-device', user_code: 'WDJB-MJHT', expires_in: 900, interval: 1 };

function describe(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    device_authorization_endpoint: `${issuer}/device`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request as AsyncIterable<Buffer>) text += piece.toString('utf8');
  return text;
}
