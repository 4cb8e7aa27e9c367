import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import type { CredentialsRefusal } from '../../model/credentials.js';
import {
  newFolder,
  openIssuer,
  openProgram,
  type TestProgram,
  storeIn,
  targetAt,
  type TestIssuer,
  tokenOf,
  visit,
} from '../auth-fixtures.js';
import { gateAuth, originsOf } from '../auth-gate.js';
import { identityTarget } from './identity-provider.js';
import { signInTargetOf } from '../protocol-fixtures.js';
import type { SignInTarget } from '../sign-in-target.js';
import type { SignInsOptions } from '../sign-ins.js';

const REFUSED: CredentialsRefusal = { status: 401 };
const HOUR = 3_600_000;

interface Scene extends TestProgram {
  readonly provider: TestIssuer;
  readonly servers: readonly TestIssuer[];
  readonly targets: readonly SignInTarget[];
  readonly clock: FakeClock;
  readonly folder: string;
}

/** Two servers with `xaa`, and the one identity provider that both trust. */
async function openScene(fetchFor?: SignInsOptions['fetchFor']): Promise<Scene> {
  const provider = await openIssuer();
  const servers = [await openIssuer(), await openIssuer()];
  const settings = { issuer: provider.server.origin, clientId: 'plugboard' };
  const targets = servers.map((server, index) => ({
    ...targetAt(server, { xaa: true, clientId: `app-${index}` }, settings),
    name: `server-${index}`,
  }));
  const folder = newFolder();
  const clock = new FakeClock();
  return { ...openProgram(storeIn(folder), { clock, fetchFor }), provider, servers, targets, clock, folder };
}

async function signIn({ signIns, targets }: Scene): Promise<void> {
  const begun = await signIns.begin(targets[0]!);
  await visit(begun);
  expect(begun.kind === 'browser' && (await begun.done)).toEqual({ kind: 'signed-in' });
}

describe('one identity provider for all servers', () => {
  test('nobody is asked for anything before somebody has signed in there', async () => {
    const { signIns, targets, provider, servers } = await openScene();
    const credentials = signIns.credentialsFor(targets[0]!);
    expect(await credentials.present()).toBeUndefined();
    expect(await credentials.renew(undefined, REFUSED)).toMatchObject({
      kind: 'sign-in',
      hint: 'plugboard login server-0',
    });
    expect([...provider.server.received, ...servers[0]!.server.received]).toEqual([]);
  });

  test('is signed in to once, and every server has its tokens without a word', async () => {
    const scene = await openScene();
    const { signIns, targets, servers, provider, signedIn } = scene;
    await signIn(scene);
    const [authorize] = provider.server.received.filter(({ path }) => path.startsWith('/authorize'));
    const asked = new URL(authorize!.path, 'http://host').searchParams;
    expect([asked.get('client_id'), asked.get('scope'), asked.get('resource')]).toEqual([
      'plugboard',
      'openid offline_access',
      null,
    ]);
    expect(signedIn).toEqual([new URL(provider.server.origin).host, 'server-0']);
    for (const [index, server] of servers.entries())
      expect(server.accepts(await signIns.credentialsFor(targets[index]!).present())).toBe(true);
    expect(await signIns.begin(targets[1]!)).toEqual({ kind: 'done' });
    expect(provider.asked('authorization_code')).toHaveLength(1);
  });

  test('two servers that wait for it share one visit', async () => {
    const { signIns, targets, servers, provider } = await openScene();
    const [first, second] = await Promise.all(targets.map((target) => signIns.begin(target)));
    if (first?.kind !== 'browser' || second?.kind !== 'browser') throw new Error('no browser');
    expect(second.url).toBe(first.url);
    await visit(first);
    expect(await Promise.all([first.done, second.done])).toEqual([{ kind: 'signed-in' }, { kind: 'signed-in' }]);
    for (const server of servers) expect(server.asked('jwt-bearer')).toHaveLength(1);
    expect(provider.asked('authorization_code')).toHaveLength(1);
  });

  test('a word that is too old is renewed first', async () => {
    const scene = await openScene();
    const { signIns, targets, servers, provider, jump } = scene;
    await signIn(scene);
    provider.idTokenLife = 3 * 3600;
    jump(2 * HOUR);
    expect(servers[1]!.accepts(await signIns.credentialsFor(targets[1]!).present())).toBe(true);
    expect(provider.asked('refresh_token')).toHaveLength(1);
  });

  test('one that gives no new word with a refresh is asked once, and then a person is', async () => {
    const scene = await openScene();
    const { signIns, targets, provider, jump, clock } = scene;
    await signIn(scene);
    provider.givesIdTokenAgain = false;
    jump(2 * HOUR);
    const credentials = signIns.credentialsFor(targets[1]!);
    for (let round = 0; round < 3; round++) {
      expect(await credentials.present()).toBeUndefined();
      expect((await credentials.renew(undefined, REFUSED)).kind).toBe('sign-in');
      await clock.pass(60_000);
    }
    expect(provider.asked('refresh_token')).toHaveLength(1);
    expect((await signIns.begin(targets[1]!)).kind).toBe('browser');
  });

  test('a server that refuses its token gets another, silently', async () => {
    const scene = await openScene();
    const { signIns, targets, servers, clock } = scene;
    await signIn(scene);
    await clock.pass(60_000);
    const credentials = signIns.credentialsFor(targets[0]!);
    const sent = await credentials.present();
    servers[0]!.forgetAccess();
    const renewal = await credentials.renew(sent, REFUSED);
    expect(renewal.kind === 'renewed' && servers[0]!.accepts(renewal.presented)).toBe(true);
    expect(tokenOf(renewal)).not.toBe(tokenOf(sent));
  });

  test('one that is away for a moment costs nobody a sign-in', async () => {
    const scene = await openScene();
    const { signIns, targets, provider } = scene;
    await signIn(scene);
    provider.instead.push({ status: 503 });
    const credentials = signIns.credentialsFor(targets[1]!);
    expect(await credentials.present()).toBeUndefined();
    expect(await credentials.renew(undefined, REFUSED)).toMatchObject({ kind: 'failed' });
  });

  test('tokens are bound to a key there as well', async () => {
    const scene = await openScene();
    await signIn(scene);
    const server = scene.servers[1]!;
    const target = { ...scene.targets[1]!, settings: { ...scene.targets[1]!.settings, dpop: true } };
    server.instead.push({ json: { access_token: 'bound', token_type: 'DPoP', expires_in: 3600 } });
    expect(tokenOf(await scene.signIns.credentialsFor(target).present())).toBe('DPoP bound');
    expect(server.server.received.find(({ path }) => path === '/token')?.headers).toHaveProperty('dpop');
  });

  test('nobody is sent to its page by a host that was closed meanwhile', async () => {
    const { signIns, targets } = await openScene();
    const beginning = signIns.begin(targets[0]!);
    await signIns[Symbol.asyncDispose]();
    expect(await beginning).toMatchObject({ kind: 'failed' });
  });

  test('one in a private network opens that network to no server outside', () => {
    const identityProvider = { issuer: 'https://10.0.0.5', clientId: 'plugboard' };
    const target = { ...signInTargetOf('https://mcp.example/mcp', { xaa: true }), identityProvider };
    expect(gateAuth('https://10.0.0.9/token', { purpose: 'sign-in', origins: originsOf(target) }).ok).toBe(false);
    const own = identityTarget(identityProvider);
    expect(gateAuth('https://10.0.0.5/token', { purpose: 'sign-in', origins: originsOf(own) }).ok).toBe(true);
    const written = signInTargetOf('https://mcp.example/mcp', { authServerMetadataUrl: 'https://10.0.0.5/metadata' });
    expect(gateAuth('https://10.0.0.5/token', { purpose: 'sign-in', origins: originsOf(written) }).ok).toBe(true);
  });

  test('and servers are each asked as what they are', async () => {
    const asked: string[] = [];
    const scene = await openScene((target) => (url, init) => {
      asked.push(`${target.name} ${new URL(url).host}`);
      return fetch(url, init as RequestInit);
    });
    await signIn(scene);
    const [idp, server] = [scene.provider, scene.servers[0]!].map((one) => new URL(one.server.origin).host);
    expect(new Set(asked)).toEqual(new Set([`${idp} ${idp}`, `server-0 ${server}`]));
  });

  test('one that is not configured is named', async () => {
    const { signIns, targets } = await openScene();
    const { identityProvider: _, ...target } = targets[0]!;
    expect(await signIns.begin(target)).toMatchObject({
      kind: 'failed',
      error: { message: 'Server "server-0" has "xaa", and no identity provider is configured' },
    });
  });
});
