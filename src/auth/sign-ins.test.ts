import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { Secret } from '../base/secret.js';
import type { CredentialsRefusal } from '../model/credentials.js';
import type { OAuthSettings } from '../model/oauth-settings.js';
import {
  addressAfter,
  newFolder,
  openIssuer,
  openOneServer,
  openProgram,
  type TestProgram,
  signInAs,
  storeIn,
  targetAt,
  tokenOf,
  visit,
} from './auth-fixtures.js';
import type { BrowserSignIn, SignIn } from './sign-in.js';

const REFUSED: CredentialsRefusal = { status: 401 };

function inBrowser(signIn: SignIn): BrowserSignIn {
  if (signIn.kind !== 'browser') throw new Error(JSON.stringify(signIn));
  return signIn;
}

describe('in a browser', () => {
  test('somebody signs in, is told so on the page, and needs no restart', async () => {
    const { signIns, target, issuer, signedIn, folder } = await openOneServer(new FakeClock());
    const credentials = signIns.credentialsFor(target);
    expect(await credentials.renew(undefined, REFUSED)).toEqual({ kind: 'sign-in', hint: 'plugboard login db' });
    const signIn = inBrowser(await signIns.begin(target));
    const asked = new URL(signIn.url).searchParams;
    expect(asked.get('state')).toMatch(/^[0-9a-f]{64}$/);
    expect([asked.get('code_challenge_method'), asked.get('resource'), asked.get('scope')]).toEqual([
      'S256',
      issuer.url,
      'read',
    ]);
    expect(signIn.host).toBe(new URL(issuer.server.origin).host);
    const page = await visit(signIn);
    expect(page).toMatchObject({
      status: 200,
      text: expect.stringContaining('signed in to <strong>db</strong>') as string,
    });
    expect(await signIn.done).toEqual({ kind: 'signed-in' });
    expect(signedIn).toEqual(['db']);
    expect(issuer.accepts(await credentials.present())).toBe(true);
    const { signIns: next } = openProgram(storeIn(folder));
    expect(await next.credentialsFor(target).present()).toBeDefined();
    expect(issuer.accepts(await next.credentialsFor(target).present())).toBe(true);
  });

  test('nobody else can end it, and the answer is taken once', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    const address = new URL(await addressAfter(signIn));
    for (const query of ['', '?code=stolen&state=guess', '?error=access_denied&state=guess', '?error=access_denied']) {
      const response = await fetch(`${address.origin}/callback${query}`);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('Not the right address');
    }
    expect((await fetch(address)).status).toBe(200);
    expect(await signIn.done).toEqual({ kind: 'signed-in' });
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(issuer.asked('authorization_code')).toHaveLength(1);
  });

  test('a browser that comes back twice at once has its code redeemed once', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    const address = await addressAfter(signIn);
    const held = issuer.holdNext();
    const first = fetch(address);
    await held.asked;
    expect(await (await fetch(address)).text()).toContain('Almost done');
    held.answer();
    expect(await (await first).text()).toContain('You are signed in');
    expect(issuer.asked('authorization_code')).toHaveLength(1);
  });

  test('what is cancelled while its code is redeemed is not kept', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    const held = issuer.holdNext();
    const page = visit(signIn);
    await held.asked;
    signIn.cancel();
    held.answer();
    expect((await page).text).toContain('did not succeed');
    expect(await signIn.done).toEqual({ kind: 'cancelled' });
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
  });

  test('a port is free again when nothing could be begun', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    blocker.close();
    await once(blocker, 'close');
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), { callbackPort: port });
    const register = issuer.server.paths['/register']!;
    issuer.server.paths['/register'] = { status: 403 };
    expect(await signIns.begin(target)).toMatchObject({ kind: 'failed' });
    issuer.server.paths['/register'] = register;
    expect((await signIns.begin(target)).kind).toBe('browser');
  });

  test('a refusal ends it with a reason, and the page says so', async () => {
    const { signIns, target } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    const address = new URL(await addressAfter(signIn));
    const state = address.searchParams.get('state')!;
    const denied = `${address.origin}/callback?error=access_denied&error_description=%1b[31mno&state=${state}`;
    expect(await (await fetch(denied)).text()).toContain('was refused');
    const end = await signIn.done;
    expect(end).toMatchObject({ kind: 'failed' });
    expect(end.kind === 'failed' && end.error.message).toContain('access_denied');
    expect(end.kind === 'failed' && end.error.message).not.toContain('\u001b');
  });

  test('a code that gives no token is told on the page as well', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    issuer.instead.push({ status: 500, body: 'broken' });
    const signIn = inBrowser(await signIns.begin(target));
    expect((await visit(signIn)).text).toContain('did not succeed');
    expect(await signIn.done).toMatchObject({ kind: 'failed', error: { code: 'sign-in-failed' } });
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
  });

  test('the address may be pasted from a browser on another machine', async () => {
    const { signIns, target } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    const address = await addressAfter(signIn);
    const { code = '' } = Object.fromEntries(new URL(address).searchParams);
    expect((await signIn.submit(code))?.message).toContain('paste the whole address');
    expect((await signIn.submit(address.replace(/state=\w/, 'state=x')))?.message).toContain('another sign-in');
    expect(await signIn.submit(` ${address}\n`)).toBeUndefined();
    expect((await signIn.submit(address))?.message).toContain('already');
    expect(await signIn.done).toEqual({ kind: 'signed-in' });
  });

  test('asking again while one is under way gives the same page', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const [first, second] = await Promise.all([signIns.begin(target), signIns.begin(target)]);
    expect(second).toBe(first);
    const wider = inBrowser(await signIns.begin(target, { scopes: ['write'] }));
    expect(wider.scopes).toEqual(['read', 'write']);
    expect(await inBrowser(first).done).toEqual({ kind: 'cancelled' });
    expect(issuer.server.received.filter(({ path }) => path === '/register')).toHaveLength(2);
  });

  test('another entry for the same server does not choose the page for this one', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const other = await openIssuer();
    const authServerMetadataUrl = `${other.server.origin}/.well-known/oauth-authorization-server`;
    const alias = { ...target, name: 'alias', settings: { authServerMetadataUrl } };
    const first = inBrowser(await signIns.begin(alias));
    expect(first.host).toBe(new URL(other.server.origin).host);
    expect(inBrowser(await signIns.begin(target)).host).toBe(new URL(issuer.server.origin).host);
    expect(await first.done).toEqual({ kind: 'cancelled' });
  });

  test('nobody comes for five minutes', async () => {
    const { signIns, target, clock } = await openOneServer(new FakeClock());
    const signIn = inBrowser(await signIns.begin(target));
    await clock.pass(5 * 60_000);
    expect(await signIn.done).toMatchObject({
      kind: 'failed',
      error: { message: 'You did not sign in to "db" within 5 minutes', hint: 'Try again: plugboard login db' },
    });
    expect(clock.timers).toBe(0);
  });

  test('closing the host, a signal and a cancellation end it', async () => {
    const { signIns, target } = await openOneServer(new FakeClock());
    const first = inBrowser(await signIns.begin(target));
    first.cancel();
    expect(await first.done).toEqual({ kind: 'cancelled' });
    const controller = new AbortController();
    const second = inBrowser(await signIns.begin(target, { signal: controller.signal }));
    controller.abort();
    expect(await second.done).toEqual({ kind: 'cancelled' });
    const third = inBrowser(await signIns.begin(target));
    const address = await addressAfter(third);
    await signIns[Symbol.asyncDispose]();
    expect(await third.done).toEqual({ kind: 'cancelled' });
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(await signIns.begin(target)).toMatchObject({ kind: 'failed', error: { code: 'sign-in-failed' } });
  });

  test.each<[whose: string, choose: (port: number) => [OAuthSettings, Record<string, string>]]>([
    ['the entry', (port) => [{ callbackPort: port }, { MCP_OAUTH_CALLBACK_PORT: '1' }]],
    ['the environment', (port) => [{}, { MCP_OAUTH_CALLBACK_PORT: String(port) }]],
  ])('the port is that of %s, and nothing else will do', async (_, choose) => {
    const blocker = createServer();
    onTestFinished(() => void blocker.close());
    blocker.listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const { signIns, target } = await openOneServer(new FakeClock(), ...choose(port));
    expect(await signIns.begin(target)).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining(`port ${port} is in use`) as string },
    });
    blocker.close();
    await once(blocker, 'close');
    const asked = new URL(inBrowser(await signIns.begin(target)).url).searchParams;
    expect(asked.get('redirect_uri')).toBe(`http://localhost:${port}/callback`);
  });

  test('a second sign-in uses the same registration, and the port that belongs to it', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    const first = inBrowser(await signIns.begin(target));
    await visit(first);
    await first.done;
    const second = inBrowser(await signIns.begin(target));
    const [before, after] = [first, second].map(({ url }) => new URL(url).searchParams);
    expect(after!.get('redirect_uri')).toBe(before!.get('redirect_uri'));
    expect(after!.get('client_id')).toBe(before!.get('client_id'));
    expect(issuer.server.received.filter(({ path }) => path === '/register')).toHaveLength(1);
  });

  test('a server that moves to another authorization server is signed in to anew, and the old one hears nothing', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    await signInAs({ signIns } as TestProgram, target);
    const other = await openIssuer();
    issuer.server.paths['/.well-known/oauth-protected-resource/mcp'] = {
      json: { resource: issuer.url, authorization_servers: [other.server.origin] },
    };
    const received = issuer.asked('refresh_token').length;
    const signIn = inBrowser(await signIns.begin(target));
    expect(signIn.host).toBe(new URL(other.server.origin).host);
    await visit(signIn);
    expect(await signIn.done).toEqual({ kind: 'signed-in' });
    expect(other.server.received.some(({ path }) => path === '/register')).toBe(true);
    expect(other.accepts(await signIns.credentialsFor(target).present())).toBe(true);
    expect(issuer.asked('refresh_token')).toHaveLength(received);
  });

  test('a client that was registered by hand is shown to nobody but the authorization server that it was used with', async () => {
    const settings = { clientId: 'me', clientSecret: new Secret('of-the-first') };
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    await signInAs({ signIns } as TestProgram, target);
    const other = await openIssuer();
    issuer.server.paths['/.well-known/oauth-protected-resource/mcp'] = {
      json: { resource: issuer.url, authorization_servers: [other.server.origin] },
    };
    const { origin } = other.server;
    expect(await signIns.begin(target)).toMatchObject({
      kind: 'failed',
      error: {
        message: `Server "db" names another authorization server than before, ${origin} instead of ${issuer.server.origin}, and "oauth.clientId" of its entry belongs to the earlier one`,
        hint: expect.stringContaining('plugboard logout db') as string,
      },
    });
    const written = {
      ...settings,
      authServerMetadataUrl: `${origin}/.well-known/oauth-authorization-server`,
    };
    expect((await signIns.begin({ ...target, settings: written })).kind).toBe('browser');
    await signIns.signOut(target);
    expect(inBrowser(await signIns.begin(target)).host).toBe(new URL(origin).host);
  });

  test('what cannot be saved is used, with a warning', async () => {
    const issuer = await openIssuer();
    const store = storeIn(newFolder());
    const { signIns, problems } = openProgram({
      load: (key) => store.load(key),
      alone: () => Promise.reject(new Error('no')),
    });
    const target = targetAt(issuer);
    const signIn = inBrowser(await signIns.begin(target));
    await visit(signIn);
    const end = await signIn.done;
    expect(end).toMatchObject({ kind: 'signed-in', warning: expect.stringContaining('could not be saved') as string });
    expect(problems).toHaveLength(1);
    expect(issuer.accepts(await signIns.credentialsFor(target).present())).toBe(true);
  });

  test('a server that is never content sends nobody to its page a fourth time, unless it worked in between', async () => {
    const { signIns, target, clock } = await openOneServer(new FakeClock());
    const credentials = signIns.credentialsFor(target);
    const refuse = async (scope: string): Promise<void> => {
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      await credentials.renew(await credentials.present(), { status: 403, challenge });
    };
    const round = async (scope: string): Promise<SignIn> => {
      await refuse(scope);
      const signIn = await signIns.begin(target);
      if (signIn.kind === 'browser') {
        await visit(signIn);
        await signIn.done;
      }
      return signIn;
    };
    for (const scope of ['a', 'b', 'c']) expect((await round(scope)).kind).toBe('browser');
    expect(await round('d')).toMatchObject({
      kind: 'failed',
      error: { message: 'Server "db" still refuses the token after you signed in 3 times in a row' },
    });
    signIns.onCallSucceeded(target);
    expect((await round('e')).kind).toBe('browser');
    await clock.pass(11 * 60_000);
    expect((await round('f')).kind).toBe('browser');
  });

  test('nothing is begun with a server that cannot be used', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    issuer.server.paths['/.well-known/oauth-authorization-server'] = { status: 500 };
    expect(await signIns.begin(target)).toMatchObject({ kind: 'failed', error: { code: 'sign-in-failed' } });
    delete issuer.server.paths['/.well-known/oauth-protected-resource/mcp'];
    delete issuer.server.paths['/.well-known/oauth-authorization-server'];
    expect((await signIns.begin(target)).kind).toBe('browser');
  });
});

test('tokens are bound to a key where the entry wants it, and a nonce costs no refresh', async () => {
  const { signIns, target, issuer } = await openOneServer(new FakeClock(), { dpop: true });
  issuer.instead.push((_, response) => {
    const tokens = { access_token: 'bound-1', token_type: 'DPoP', expires_in: 3600, refresh_token: 'r' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
  });
  await signInAs({ signIns } as TestProgram, target);
  const credentials = signIns.credentialsFor(target);
  const sentCredentials = await credentials.present();
  expect(tokenOf(sentCredentials)).toBe('DPoP bound-1');
  const proofOf = (prove = sentCredentials?.prove): Record<string, unknown> => {
    const [name, proof = ''] = prove?.({ method: 'POST', url: issuer.url }) ?? [];
    expect(name).toBe('dpop');
    return JSON.parse(Buffer.from(proof.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
  };
  expect(proofOf()).toMatchObject({ htm: 'POST', htu: issuer.url });
  const denial = { status: 401, challenge: 'DPoP error="use_dpop_nonce"', nonce: 'n-1' };
  const renewal = await credentials.renew(sentCredentials, denial);
  expect(renewal.kind === 'renewed' && proofOf(renewal.presented.prove)).toMatchObject({ nonce: 'n-1' });
  expect(tokenOf(renewal)).toBe('DPoP bound-1');
  expect(issuer.asked('refresh_token')).toHaveLength(0);
});

describe('signing out', () => {
  test('forgets the tokens and takes them back', async () => {
    const { signIns, target, issuer, folder } = await openOneServer(new FakeClock());
    expect(await signIns.signOut(target)).toEqual({ kind: 'nothing' });
    await signInAs({ signIns } as TestProgram, target);
    expect(await signIns.signOut(target)).toEqual({ kind: 'signed-out', wasRevoked: true });
    expect(issuer.server.received.some(({ path }) => path === '/revoke')).toBe(true);
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
    expect(await openProgram(storeIn(folder)).signIns.credentialsFor(target).present()).toBeUndefined();
  });

  test('works though the authorization server does not', async () => {
    const { signIns, target, issuer } = await openOneServer(new FakeClock());
    await signInAs({ signIns } as TestProgram, target);
    issuer.server.paths['/revoke'] = { status: 500 };
    expect(await signIns.signOut(target)).toEqual({ kind: 'signed-out', wasRevoked: false });
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
  });
});
