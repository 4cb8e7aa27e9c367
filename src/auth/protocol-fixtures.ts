import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { OAuthSettings } from '../model/oauth-settings.js';
import { openAuthFetch } from './auth-fetch.js';
import { originsOf } from './auth-gate.js';
import type { OAuthContext } from './oauth-context.js';
import type { AuthorizationServer } from './store/credential-record.js';
import type { SignInTarget } from './sign-in-target.js';

/** For tests: one received request. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
  readonly body: string;
}

/** JSON with status 200; or a status, a body and headers; or whatever a function does. */
export type Scripted =
  | { readonly json: unknown }
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | ((received: Received, response: ServerResponse) => void);

export interface ScriptedServer extends AsyncDisposable {
  readonly origin: string;
  readonly received: Received[];
  /** Responses by path; 404 for all others. May be changed while the server runs. */
  readonly paths: Record<string, Scripted>;
}

/** A small HTTP server on loopback with scripted responses. */
export async function openScripted(paths: Record<string, Scripted> = {}): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (bytes: Buffer) => pieces.push(bytes));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      const { method = '', headers, url = '' } = request;
      const one = { method, path: url, headers, body, form: new URLSearchParams(body) };
      received.push(one);
      answer(paths[new URL(url, 'http://host').pathname], one, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function answer(script: Scripted | undefined, received: Received, response: ServerResponse): void {
  if (script === undefined) return void response.writeHead(404).end('not here');
  if (typeof script === 'function') return script(received, response);
  if ('json' in script) {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(script.json));
  }
  return void response.writeHead(script.status, script.headers).end(script.body);
}

export function signInTargetOf(url: string, settings: OAuthSettings = {}): SignInTarget {
  return { name: 'db', url, account: '', settings };
}

export function worldOf(
  target: SignInTarget,
  { timeoutMs, lookup }: { timeoutMs?: number; lookup?: LookupFunction } = {},
): OAuthContext {
  const server = new URL(target.url);
  const trusted = originsOf(target);
  return {
    fetch: openAuthFetch({ label: 'Server "db"', env: {}, cwd: '.', server, trusted, timeoutMs, lookup }),
    wall: () => Date.now(),
  };
}

/** The metadata of an authorization server (RFC 8414). */
export function metadataOf(origin: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    ...more,
  };
}

/** The same authorization server as records store it. */
export function issuerAt(origin: string, more: Partial<AuthorizationServer> = {}): AuthorizationServer {
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    codeChallengeMethods: ['S256'],
    saysIss: false,
    readsClientDocuments: false,
    isAssumed: false,
    ...more,
  };
}

export const TOKENS = { access_token: 'access-1', token_type: 'Bearer', expires_in: 3600 };
