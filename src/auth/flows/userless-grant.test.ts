import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { Secret } from '../../base/secret.js';
import { openIssuer, openOneServer, openProgram, storeIn, tokenOf } from '../auth-fixtures.js';

const REFUSED = { status: 401 };

describe('without anybody', () => {
  test('a client has tokens before its first request, shares them, and gets others when they are over', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('s') } as const;
    const { signIns, target, issuer, jump, folder } = await openOneServer(new FakeClock(), settings);
    const credentials = signIns.credentialsFor(target);
    const all = await Promise.all(Array.from({ length: 10 }, () => credentials.present()));
    expect(new Set(all.map(tokenOf)).size).toBe(1);
    expect(issuer.accepts(all[0])).toBe(true);
    expect(tokenOf(await openProgram(storeIn(folder)).signIns.credentialsFor(target).present())).toBe(tokenOf(all[0]));
    expect(issuer.asked('client_credentials')).toHaveLength(1);
    jump(3_600_000);
    expect(issuer.accepts(await credentials.present())).toBe(true);
    expect(issuer.asked('client_credentials')).toHaveLength(2);
    issuer.forgetAccess();
    const renewal = await credentials.renew(await credentials.present(), REFUSED);
    // The token is new, so its refusal means that the client itself is refused.
    expect(renewal.kind).toBe('sign-in');
    expect(await signIns.begin(target)).toEqual({ kind: 'done' });
    expect(issuer.accepts(await credentials.present())).toBe(true);
  });

  test('a client asks for more rights by itself when a server misses them', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('s') } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    const credentials = signIns.credentialsFor(target);
    const denial = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' };
    expect((await credentials.renew(await credentials.present(), denial)).kind).toBe('renewed');
    expect(issuer.asked('client_credentials').map((form) => form.get('scope'))).toEqual(['read', 'read write']);
    expect((await credentials.renew(await credentials.present(), denial)).kind).toBe('sign-in');
    expect(issuer.asked('client_credentials')).toHaveLength(2);
  });

  test('a client asks for no lasting sign-in, though the authorization server offers one', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('s') } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    const { paths, origin } = issuer.server;
    const place = '/.well-known/oauth-authorization-server';
    const metadata = (await (await fetch(`${origin}${place}`)).json()) as object;
    paths[place] = { json: { ...metadata, scopes_supported: ['read', 'offline_access'] } };
    expect(issuer.accepts(await signIns.credentialsFor(target).present())).toBe(true);
    expect(issuer.asked('client_credentials').map((form) => form.get('scope'))).toEqual(['read']);
  });

  test('a client asks again when the server says for the first time where to ask', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('s') } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    const { paths, origin } = issuer.server;
    paths['/elsewhere'] = paths['/.well-known/oauth-protected-resource/mcp']!;
    const metadata = paths['/.well-known/oauth-authorization-server']!;
    delete paths['/.well-known/oauth-protected-resource/mcp'];
    paths['/.well-known/oauth-authorization-server'] = { status: 503 };
    const credentials = signIns.credentialsFor(target);
    expect(await credentials.present()).toBeUndefined();
    paths['/.well-known/oauth-authorization-server'] = metadata;
    const challenge = `Bearer resource_metadata="${origin}/elsewhere"`;
    const renewal = await credentials.renew(undefined, { status: 401, challenge });
    expect(renewal.kind === 'renewed' && issuer.accepts(renewal.presented)).toBe(true);
  });

  test('a server that refuses cannot have the secret sent to somebody else', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('s') } as const;
    const { signIns, target, issuer, clock } = await openOneServer(new FakeClock(), settings);
    const credentials = signIns.credentialsFor(target);
    const sent = await credentials.present();
    const thief = await openIssuer();
    issuer.server.paths['/.well-known/oauth-protected-resource/mcp'] = {
      json: { resource: issuer.url, authorization_servers: [thief.server.origin] },
    };
    await clock.pass(60_000);
    const renewal = await credentials.renew(sent, REFUSED);
    expect(renewal).toMatchObject({
      kind: 'sign-in',
      cause: { message: expect.stringContaining('names another authorization server than before') as string },
    });
    expect(thief.asked('client_credentials')).toEqual([]);
  });

  test('a client that is refused is told so, and its authorization server is left in peace', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('wrong') } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    const refusal = {
      status: 401,
      body: '{"error":"invalid_client"}',
      headers: { 'content-type': 'application/json' },
    };
    issuer.instead.push(refusal, refusal);
    const credentials = signIns.credentialsFor(target);
    for (let round = 0; round < 5; round++) expect(await credentials.present()).toBeUndefined();
    expect(issuer.asked('client_credentials')).toHaveLength(1);
    expect(await signIns.begin(target)).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('invalid_client') as string },
    });
  });

  test('a client secret that was mended in its file is tried, though the one before was refused', async () => {
    const settings = { grant: 'client_credentials', clientId: 'robot', clientSecret: new Secret('wrong') } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    const body = '{"error":"invalid_client"}';
    issuer.instead.push({ status: 401, body, headers: { 'content-type': 'application/json' } });
    expect(await signIns.credentialsFor(target).present()).toBeUndefined();
    const mended = { ...target, settings: { ...settings, clientSecret: new Secret('right') } };
    expect(issuer.accepts(await signIns.credentialsFor(mended).present())).toBe(true);
    // Reading the configuration again wraps the same secret in a new `Secret`; it is still the same client.
    const again = { ...target, settings: { ...settings, clientSecret: new Secret('right') } };
    expect(issuer.accepts(await signIns.credentialsFor(again).present())).toBe(true);
    expect(issuer.asked('client_credentials')).toHaveLength(2);
  });

  test('no key of a map holds the client secret', async () => {
    const put = vi.spyOn(Map.prototype, 'set');
    onTestFinished(() => put.mockRestore());
    const settings = {
      grant: 'client_credentials',
      clientId: 'robot-7',
      clientSecret: new Secret('swordfish'),
    } as const;
    const { signIns, target, issuer } = await openOneServer(new FakeClock(), settings);
    expect(issuer.accepts(await signIns.credentialsFor(target).present())).toBe(true);
    const texts = put.mock.calls.map(([key]: readonly unknown[]) => key).filter((key) => typeof key === 'string');
    expect(texts.some((key) => key.includes('robot-7'))).toBe(true);
    expect(texts.filter((key) => key.includes('swordfish'))).toEqual([]);
  });
});
