import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';
import type { RequestCredentials, Renewal } from '../model/credentials.js';
import type { IdentityProviderSettings, OAuthSettings } from '../model/oauth-settings.js';
import type { CredentialStore } from './store/credential-store.js';
import { openCredentialStore } from './store/open-credential-store.js';
import {
  type Received,
  metadataOf,
  openScripted,
  type Scripted,
  type ScriptedServer,
  signInTargetOf,
} from './protocol-fixtures.js';
import type { SignIn } from './sign-in.js';
import type { SignInTarget } from './sign-in-target.js';
import { SignIns, type SignInsOptions } from './sign-ins.js';

/** For tests: an authorization server with one-time refresh tokens; using one twice revokes all tokens. */
export class TestIssuer {
  readonly server: ScriptedServer;
  /** Scripted answers for the next token requests, in order. `pass`: the normal answer. */
  readonly instead: (Scripted | 'pass')[] = [];
  /** Lifetime of access tokens, in seconds; undefined leaves out `expires_in`. */
  life: number | undefined = 3600;
  idTokenLife = 3600;
  givesIdTokenAgain = true;
  #serial = 0;
  #isDeviceApproved = false;
  readonly #good = new Set<string>();
  #refreshToken: string | undefined;
  readonly #spent = new Set<string>();
  readonly #codes = new Map<string, URLSearchParams>();

  constructor(server: ScriptedServer) {
    this.server = server;
    const { origin, paths } = server;
    const metadata = metadataOf(origin, {
      revocation_endpoint: `${origin}/revoke`,
      device_authorization_endpoint: `${origin}/device`,
      dpop_signing_alg_values_supported: ['ES256'],
    });
    paths['/.well-known/oauth-protected-resource/mcp'] = {
      json: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read'] },
    };
    paths['/.well-known/oauth-authorization-server'] = { json: metadata };
    paths['/register'] = (received, response) =>
      json(response, 201, { ...(JSON.parse(received.body) as object), client_id: `client-${++this.#serial}` });
    paths['/authorize'] = (received, response) => this.#authorize(received, response);
    paths['/token'] = (received, response) => this.#token(received, response);
    paths['/revoke'] = (_, response) => {
      this.#good.clear();
      json(response, 200, {});
    };
    paths['/device'] = {
      json: {
        device_code: 'device-1',
        user_code: 'ABCD-EFGH',
        verification_uri: `${origin}/activate`,
        expires_in: 600,
        interval: 5,
      },
    };
  }

  get url(): string {
    return `${this.server.origin}/mcp`;
  }

  /** The forms with this grant that the token endpoint received. */
  asked(grant: string): URLSearchParams[] {
    const forms = this.server.received.filter(({ path }) => path === '/token').map(({ form }) => form);
    return forms.filter((form) => form.get('grant_type')?.endsWith(grant) === true);
  }

  accepts(credentials: RequestCredentials | undefined): boolean {
    const token = credentials?.headers['authorization']?.reveal().split(' ')[1];
    return token !== undefined && this.#good.has(token);
  }

  /** Invalidates all access tokens; refresh tokens stay valid. */
  forgetAccess(): void {
    this.#good.clear();
  }

  /** Invalidates all tokens, as when an administrator ends every session. */
  forgetAll(): void {
    this.#good.clear();
    this.#refreshToken = undefined;
  }

  /** Holds back the response to the next token request until `answer()` is called. */
  holdNext(): { readonly asked: Promise<void>; readonly answer: () => void } {
    let held: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      this.instead.push((received, response) => {
        held = () => this.answer(received, response);
        resolve();
      });
    });
    return { asked, answer: () => held?.() };
  }

  approveDevice(): void {
    this.#isDeviceApproved = true;
  }

  #authorize({ path }: Received, response: ServerResponse): void {
    const query = new URL(path, 'http://host').searchParams;
    const code = `code-${++this.#serial}`;
    this.#codes.set(code, query);
    const back = new URL(query.get('redirect_uri')!);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state')!);
    response.writeHead(302, { location: back.href }).end();
  }

  #token(received: Received, response: ServerResponse): void {
    const instead = this.instead.shift() ?? 'pass';
    if (typeof instead === 'function') return instead(received, response);
    if (instead !== 'pass' && 'json' in instead) return json(response, 200, instead.json);
    if (instead !== 'pass') return void response.writeHead(instead.status, instead.headers).end(instead.body);
    return this.answer(received, response);
  }

  /** Sends the response that the request gets when `instead` is empty. */
  answer({ form }: Received, response: ServerResponse): void {
    const grant = form.get('grant_type')?.split(':').at(-1) ?? '';
    switch (grant) {
      case 'authorization_code':
        return this.#redeem(form, response);
      case 'refresh_token':
        return this.#refresh(form, response);
      case 'device_code':
        if (!this.#isDeviceApproved) return json(response, 400, { error: 'authorization_pending' });
        return this.#give(response, form.get('scope'));
      case 'token-exchange':
        return json(response, 200, {
          access_token: 'id-jag',
          issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          token_type: 'N_A',
        });
      default:
        return this.#give(response, form.get('scope'), { isSilent: true });
    }
  }

  #redeem(form: URLSearchParams, response: ServerResponse): void {
    const asked = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenge !== asked?.get('code_challenge') || form.get('redirect_uri') !== asked.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    return this.#give(response, asked.get('scope'), { isOpenId: true });
  }

  #refresh(form: URLSearchParams, response: ServerResponse): void {
    const used = form.get('refresh_token') ?? '';
    if (this.#spent.has(used)) this.forgetAll();
    if (used !== this.#refreshToken) return json(response, 400, { error: 'invalid_grant' });
    this.#spent.add(used);
    this.#good.clear();
    return this.#give(response, form.get('scope'), { isOpenId: this.givesIdTokenAgain });
  }

  #give(response: ServerResponse, scope: string | null, { isSilent = false, isOpenId = false } = {}): void {
    const access = `access-${++this.#serial}`;
    this.#good.add(access);
    if (!isSilent) this.#refreshToken = `refresh-${++this.#serial}`;
    json(response, 200, {
      access_token: access,
      token_type: 'Bearer',
      ...(this.life !== undefined && { expires_in: this.life }),
      ...(scope !== null && { scope }),
      ...(!isSilent && { refresh_token: this.#refreshToken }),
      ...(isOpenId && { id_token: this.#idToken() }),
    });
  }

  #idToken(): string {
    const exp = Math.floor(Date.now() / 1000) + this.idTokenLife;
    return `${encoded({ alg: 'none' })}.${encoded({ exp, serial: ++this.#serial })}.c2ln`;
  }
}

export async function openIssuer(): Promise<TestIssuer> {
  const server = await openScripted();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return new TestIssuer(server);
}

/** A folder for sign-ins that several programs can share. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-auth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function storeIn(folder: string, onStep?: (step: string) => void): CredentialStore {
  const { platform } = process;
  return openCredentialStore({ folder, keychain: 'off', env: {}, platform, onProblem() {}, ...(onStep && { onStep }) });
}

export interface TestProgram {
  readonly signIns: SignIns;
  readonly problems: string[];
  readonly signedIn: string[];
  /** Moves the date only; timers of the clock are not affected. */
  readonly jump: (ms: number) => void;
}

/** One program that signs in. Several over one folder behave like several processes. */
export function openProgram(
  store: CredentialStore,
  options: { readonly clock?: Clock } & Partial<SignInsOptions> = {},
): TestProgram {
  const problems: string[] = [];
  const signedIn: string[] = [];
  let jumped = 0;
  const signIns = new SignIns({
    store,
    env: {},
    cwd: tmpdir(),
    wall: () => Date.now() + jumped,
    clock: systemClock,
    onProblem: (text) => problems.push(text),
    onSignedIn: ({ name }) => signedIn.push(name),
    ...options,
  });
  onTestFinished(() => signIns[Symbol.asyncDispose]());
  return { signIns, problems, signedIn, jump: (ms) => void (jumped += ms) };
}

export interface OneServer<Time extends Clock> extends TestProgram {
  readonly issuer: TestIssuer;
  readonly target: SignInTarget;
  readonly clock: Time;
  readonly folder: string;
}

/** A server, its authorization server, and a program that is not signed in. */
export async function openOneServer<Time extends Clock>(
  clock: Time,
  settings: OAuthSettings = {},
  env: Record<string, string> = {},
): Promise<OneServer<Time>> {
  const issuer = await openIssuer();
  const folder = newFolder();
  return { ...openProgram(storeIn(folder), { clock, env }), issuer, folder, clock, target: targetAt(issuer, settings) };
}

export function targetAt(
  issuer: TestIssuer,
  settings: OAuthSettings = {},
  identityProvider?: IdentityProviderSettings,
): SignInTarget {
  return { ...signInTargetOf(issuer.url, settings), ...(identityProvider && { identityProvider }) };
}

/** Does what a user with a browser does: opens the page, agrees, and follows the redirect back. */
export async function visit(signIn: SignIn): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(await addressAfter(signIn));
  return { status: response.status, text: await response.text() };
}

/** The address that the authorization server redirects back to; the redirect is not followed. */
export async function addressAfter(signIn: SignIn): Promise<string> {
  if (signIn.kind !== 'browser') throw new Error(`no browser: ${JSON.stringify(signIn)}`);
  const response = await fetch(signIn.url, { redirect: 'manual' });
  return response.headers.get('location')!;
}

export async function signInAs({ signIns }: TestProgram, target: SignInTarget): Promise<void> {
  const signIn = await signIns.begin(target);
  await visit(signIn);
  if (signIn.kind !== 'browser') return;
  const end = await signIn.done;
  if (end.kind !== 'signed-in') throw new Error(JSON.stringify(end));
}

export function tokenOf(credentials: RequestCredentials | Renewal | undefined): string | undefined {
  if (credentials && 'kind' in credentials)
    return credentials.kind === 'renewed' ? tokenOf(credentials.presented) : credentials.kind;
  return credentials?.headers['authorization']?.reveal();
}

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
