import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SkippingClock } from '../faults/skipping-clock.js';
import type { Scene } from '../host/scene.js';
import {
  AUTHENTICATE,
  begun,
  keeping,
  openAuthScene,
  openUnknown,
  signInByTool,
  textOf,
  toolsOf,
  urlIn,
} from './auth-scene.js';
import { browse } from './browser.js';
import { openProtectedServer, type ProtectedServer } from './protected-server.js';
import { openRobotServer } from './robot-as.js';
import { openStrictServer, type StrictServer } from './strict-as.js';
import { saying } from './token-fault.js';

// Hosts with servers that need a sign-in.

async function openWanting(
  entry: object = {},
  settings?: (mcp: ProtectedServer) => object,
): Promise<{ readonly authority: StrictServer; readonly mcp: ProtectedServer; readonly scene: Scene }> {
  const authority = await keeping(openStrictServer());
  const mcp = await keeping(openProtectedServer({ authority }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url, ...entry } }, settings?.(mcp));
  return { authority, mcp, scene };
}

test('a tool that wants more rights brings the way to give them, beside the real tools and until it was gone', async () => {
  const { scene } = await openWanting();
  const watched = await openUnknown(scene);
  await signInByTool(watched);
  const { host } = watched;
  const fork = host.fork();
  host.forModel('anthropic');
  expect(await fork.call({ name: 'mcp__srv__admin' })).toMatchObject({ outcome: 'error' });
  for (const one of [host, fork]) expect(toolsOf(one)).toEqual(['admin', 'append', 'authenticate', 'read']);
  expect(host.forModel('anthropic').news).toContain(AUTHENTICATE);
  const begin = await host.call({ name: AUTHENTICATE });
  expect(new URL(urlIn(textOf(begin))).searchParams.get('scope')).toBe('read admin');
  const signIn = begun(await host.signIn('srv'), 'browser');
  await browse(signIn.url);
  expect(await signIn.done).toMatchObject({ kind: 'signed-in' });
  for (const one of [host, fork]) expect(toolsOf(one)).toEqual(['admin', 'append', 'read']);
  expect(host.forModel('anthropic').news).toMatch(/not have these tools any more: mcp__srv__authenticate/u);
  expect(await host.call({ name: 'mcp__srv__admin' })).toMatchObject({ outcome: 'ok' });
  expect(toolsOf(host)).toEqual(['admin', 'append', 'read']);
  await fork.close();
});

test('whoever asks a second time and lets go does not end the sign-in that the user is in the middle of', async () => {
  const { scene } = await openWanting();
  const opened: string[] = [];
  const openUrl = async (url: string): Promise<boolean> => opened.push(url) > 0;
  const { host, until } = await openUnknown(scene, { ports: { openUrl } });
  const first = await host.call({ name: AUTHENTICATE });
  const letGo = new AbortController();
  const second = host.call({ name: AUTHENTICATE, signal: letGo.signal });
  letGo.abort();
  const third = host.call({ name: AUTHENTICATE, signal: AbortSignal.abort() });
  for (const call of [second, third]) {
    expect(await call).toMatchObject({ outcome: 'error', error: { code: 'cancelled' } });
  }
  expect(await browse(urlIn(textOf(first)))).toMatchObject({ status: 200 });
  await until(({ after }) => after === 'connected');
  expect(opened).toHaveLength(1);
});

test('an authorization server that says nothing holds no call up beyond its time', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const mcp = await keeping(openProtectedServer({ authority: { issuer, check: async () => undefined } }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const { host } = await openUnknown(scene);
  const result = await host.call({ name: AUTHENTICATE, timeoutMs: 100 });
  expect(result).toMatchObject({ outcome: 'error', error: { code: 'call-timeout', hint: expect.any(String) } });
  await host.close();
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

test('who opens pages may break the contract: the address is told all the same', async () => {
  const { scene } = await openWanting();
  const { host } = await openUnknown(scene, { ports: { openUrl: throwing } });
  const result = await host.call({ name: AUTHENTICATE });
  expect(result).toMatchObject({ outcome: 'ok' });
  expect(urlIn(textOf(result))).toContain('/authorize');
});

function throwing(): never {
  throw new Error('no display');
}

test('nobody is signed in to a server that may not run', async () => {
  const { scene, mcp, authority } = await openWanting();
  const entry = { type: 'http', url: mcp.url, timeout: 5_000 };
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: entry } }));
  const { host } = await openUnknown(scene);
  host.disable('srv');
  expect(await host.signIn('theirs')).toMatchObject({ kind: 'failed', error: { code: 'not-approved' } });
  expect(await host.signIn('srv')).toMatchObject({ kind: 'failed', error: { code: 'disabled' } });
  expect(authority.tally).toMatchObject({ discoveries: 0, registrations: 0 });
  host.enable('srv');
  begun(await host.signIn('srv'), 'browser');
});

test('a host that is closed begins no sign-in, whether or not it ever knew of one', async () => {
  const { scene, authority } = await openWanting();
  const { host } = await scene.open({ watch: false, start: 'lazy' });
  const fork = host.fork();
  await fork.close();
  expect(await fork.signIn('srv')).toMatchObject({ kind: 'failed', error: { code: 'connection-closed' } });
  await host.close();
  expect(await host.signIn('srv')).toMatchObject({ kind: 'failed', error: { code: 'connection-closed' } });
  expect(await host.signOut('srv')).toMatchObject({ kind: 'failed', error: { code: 'connection-closed' } });
  expect(authority.tally).toMatchObject({ discoveries: 0, registrations: 0 });
});

test('a server that mcp.lock pins is signed in to, and what it has is judged afterwards', async () => {
  const { scene } = await openWanting();
  const hash = `sha256-${'0'.repeat(64)}`;
  const pinned = { entry: hash, tools: { read: hash }, prompts: {} };
  const lock = JSON.stringify({ version: 1, servers: { srv: pinned } });
  writeFileSync(join(scene.home, '.config/plugboard/mcp.lock'), lock);
  const watched = await openUnknown(scene);
  const { host } = watched;
  await host.settled();
  expect(host.problems).toEqual([]);
  const shown = (): unknown[] => host.forModel('anthropic').tools.map((tool) => (tool as { name: string }).name);
  expect(shown()).toContain(AUTHENTICATE);
  await signInByTool(watched);
  expect(shown()).not.toContain('mcp__srv__read');
  const read = await host.call({ name: 'mcp__srv__read' });
  expect(read).toMatchObject({ outcome: 'error', error: { code: 'definition-changed' } });
});

test.each(['plan', 'dont-ask'] as const)('in mode %s the sign-in is begun, and a rule hides it', async (mode) => {
  const { scene } = await openWanting();
  const { host } = await openUnknown(scene, { permissions: { mode } });
  expect(await host.call({ name: AUTHENTICATE })).toMatchObject({ outcome: 'ok' });
  const permissions = { mode, deny: ['mcp__srv'] };
  const other = await openUnknown(scene, { permissions });
  const { tools, system } = other.host.forModel('anthropic');
  expect(JSON.stringify([tools, system])).not.toContain('srv');
  expect(await other.host.call({ name: AUTHENTICATE })).toMatchObject({ outcome: 'error' });
  expect(await other.host.search('sign in')).toEqual([]);
});

test('a server that the account of the connectors is for has no other sign-in', async () => {
  const { scene, mcp } = await openWanting({}, ({ url }) => catalogueAt(url, { token: 'of the account' }));
  const { host } = await openUnknown(scene);
  expect(toolsOf(host)).toEqual([]);
  const refused = { kind: 'failed', error: { code: 'unsupported', hint: expect.stringContaining('connectors.token') } };
  expect(await host.signIn('srv')).toMatchObject(refused);
  // A catalogue without a token has no account, so the server has its own sign-in again.
  scene.configure({ srv: { type: 'http', url: mcp.url } }, catalogueAt(mcp.url));
  const open = await openUnknown(scene);
  await signInByTool(open);
  expect(await open.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});

function catalogueAt(server: string, more: object = {}): object {
  return { connectors: { url: new URL('/catalogue', server).href, ...more } };
}

test('a machine whose secret is wrong has failed, nobody is asked to sign in, and a better secret mends it', async () => {
  const robot = await keeping(openRobotServer({ secret: 'right' }));
  const mcp = await keeping(openProtectedServer({ authority: robot }));
  const scene = openAuthScene();
  const configure = (clientSecret: string): void => {
    const oauth = { grant: 'client_credentials', clientId: 'robot', clientSecret };
    scene.configure({ srv: { type: 'http', url: mcp.url, oauth } });
  };
  configure('wrong');
  const clock = new SkippingClock();
  const { host, until } = await scene.open({ ports: { clock } });
  await host.settled();
  expect(host.server('srv')).toMatchObject({
    status: 'failed',
    error: { code: 'unauthorized', hint: expect.stringContaining('oauth.clientSecret') },
  });
  expect(host.forModel('anthropic').system).not.toContain('sign in');
  expect(toolsOf(host)).toEqual([]);
  // After a refusal the token request waits for its backoff.
  clock.skip(60_000);
  configure('right');
  await until(({ after }) => after === 'connected');
  expect(robot.secrets.at(-1)).toBe('right');
});

test('an identity provider that is named later is asked by servers that take its word, without another start', async () => {
  const { scene, mcp } = await openWanting();
  const servers = { srv: { type: 'http', url: mcp.url, xaa: true }, other: { type: 'http', url: `${mcp.url}?2` } };
  scene.configure(servers);
  const { host, changes, until } = await scene.open();
  await host.settled();
  expect(host.server('srv')!.error!.hint).toContain('xaaIdp');
  scene.configure(servers, { xaaIdp: { issuer: 'https://idp.example', clientId: 'us' } });
  await until(({ name, reason }) => name === 'srv' && reason === 'its entry was changed');
  await host.settled();
  expect(host.server('srv')!.error!.hint).not.toContain('xaaIdp');
  expect(changes.filter(({ name }) => name === 'other').map(({ after }) => after)).toEqual(['pending', 'needs-auth']);
});

test('a server that rests, and whose tools are known, has only the way to sign in once it was used in vain', async () => {
  const { scene, mcp } = await openWanting({ start: 'lazy' });
  const first = await scene.open({ watch: false });
  await first.host.reconnect('srv');
  await signInByTool(first);
  await first.host.signOut('srv');
  await first.host.close();
  const { host } = await scene.open({ watch: false });
  expect([host.server('srv')!.status, toolsOf(host)]).toEqual(['idle', ['admin', 'append', 'read']]);
  const refused = { ...mcp.refused };
  host.forModel('openai');
  const calls = await host.callAll([{ name: 'mcp__srv__read' }, { name: 'mcp__srv__append' }]);
  for (const call of calls) expect(call).toMatchObject({ outcome: 'error', error: { code: 'unauthorized' } });
  expect(toolsOf(host)).toEqual(['authenticate']);
  expect(mcp.refused[401]! - refused[401]!).toBeLessThanOrEqual(1);
  expect(mcp.journal).toEqual([]);
  const { news } = host.forModel('openai');
  expect(news).toMatch(/needs the user to sign in.*has new tools: mcp__srv__authenticate/su);
  expect((await host.search('sign in to srv')).map(({ name }) => name)).toEqual([AUTHENTICATE]);
  const begin = await host.call({ name: 'CallMcpTool', input: { name: AUTHENTICATE, arguments: {} } });
  expect(urlIn(textOf(begin))).toContain('/authorize');
});

test('who was let in after each sign-in may sign in as often as it takes', async () => {
  const { scene, mcp, authority } = await openWanting();
  const watched = await openUnknown(scene);
  const { host, until, changes } = watched;
  for (let round = 0; round < 4; round++) {
    await signInByTool(watched);
    // The first call of a host or fork has a code path of its own, so every round makes one from a new fork.
    const fork = host.fork();
    expect(await fork.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
    await fork.close();
    changes.length = 0;
    authority.expire();
    authority.fault = saying('invalid_grant', 400);
    expect(await host.call({ name: 'mcp__srv__append' })).toMatchObject({ outcome: 'error' });
    await until(({ after }) => after === 'needs-auth');
    authority.fault = undefined;
  }
  expect(mcp.journal).toHaveLength(4);
});
