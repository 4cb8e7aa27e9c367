import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
import { SkippingClock } from '../faults/skipping-clock.js';
import { browse } from './browser.js';
import { openOidcServer } from './oidc-server.js';
import { openProtectedServer } from './protected-server.js';

// The walk from a 401 response to a server's tools, against a real authorization server.

test.each([
  ['opaque', false],
  ['jwt', true],
] as const)(
  'a model signs its user in, and gets the real tools (%s tokens, only the old era: %s)',
  async (format, isLegacy) => {
    const oidc = await keeping(openOidcServer({ format }));
    const mcp = await keeping(openProtectedServer({ authority: oidc, isLegacy }));
    const scene = openAuthScene();
    scene.configure({ srv: { type: 'http', url: mcp.url }, other: scene.journaling() });
    const watched = await openUnknown(scene);
    const { host, changes } = watched;
    await host.settled();
    expect(host.server('srv')).toMatchObject({
      status: 'needs-auth',
      error: { code: 'unauthorized', hint: expect.stringContaining('host.signIn("srv")') },
    });
    expect(toolsOf(host)).toEqual(['authenticate']);
    const names = host.forModel('anthropic').tools.map((tool) => (tool as { name: string }).name);
    expect(names.filter((name) => name.startsWith('mcp__srv__'))).toEqual([AUTHENTICATE]);
    expect(await host.call({ name: 'mcp__other__read', input: { key: 'a' } })).toMatchObject({ outcome: 'ok' });

    const before = changes.length;
    const arrival = await signInByTool(watched);
    expect(new URL(arrival.url).hostname).toMatch(/^(?:127\.0\.0\.1|localhost|\[::1\])$/u);
    expect(new URL(arrival.url).searchParams.get('iss')).toBe(oidc.issuer);
    const after = changes.slice(before).filter(({ name }) => name === 'srv');
    expect(after.map((change) => change.after)).toEqual(['pending', 'connected']);
    expect(toolsOf(host)).toEqual(['admin', 'append', 'read']);
    const result = await host.call({ name: 'mcp__srv__read', input: { key: 'a' } });
    expect([result.outcome, textOf(result)]).toEqual(['ok', 'somebody: read a']);
    expect(oidc.tally).toMatchObject({ registrations: 1, tokens: { authorization_code: 1 } });
    expect(new Set(oidc.resources)).toEqual(new Set([mcp.url]));
  },
);

test('a page that was visited is done for: nobody uses its code a second time', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  const { url } = await signInByTool(watched);
  const again = await fetch(url).then(
    ({ status }) => status,
    () => 'nobody listens',
  );
  expect([400, 404, 410, 'nobody listens']).toContain(again);
  expect(oidc.tally.tokens).toEqual({ authorization_code: 1 });
});

test('a token that is refused is refreshed in the middle of a session, and nobody is asked', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const clock = new SkippingClock();
  const watched = await openUnknown(scene, { ports: { clock } });
  await signInByTool(watched);
  const { host, changes } = watched;
  const before = changes.length;
  for (let round = 1; round <= 3; round++) {
    // A token refused within 10 s after its renewal is not renewed again: its age is not the reason.
    clock.skip(60_000);
    for (const token of mcp.admitted.keys()) mcp.revoked.add(token);
    const result = await host.call({ name: 'mcp__srv__append', input: { key: `${round}` } });
    expect([result.outcome, textOf(result)]).toEqual(['ok', `somebody: append ${round}`]);
  }
  expect(oidc.tally.granted).toEqual({ authorization_code: 1, refresh_token: 3 });
  expect(changes.slice(before)).toEqual([]);
  expect(mcp.journal).toEqual(['somebody: append 1', 'somebody: append 2', 'somebody: append 3']);
});

test('a token is refreshed before it expires, without a request that is refused', async () => {
  const oidc = await keeping(openOidcServer({ tokenSeconds: 3_600 }));
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  let skipped = 0;
  const watched = await openUnknown(scene, { ports: { wall: () => Date.now() + skipped } });
  await signInByTool(watched);
  const refused = { ...mcp.refused };
  skipped = 3_595_000;
  expect(await watched.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally.granted).toEqual({ authorization_code: 1, refresh_token: 1 });
  expect(mcp.refused).toEqual(refused);
});

test('a second host of the same user is signed in already', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const first = await openUnknown(scene);
  await signInByTool(first);
  await first.host[Symbol.asyncDispose]();
  const { host } = await scene.open({ watch: false });
  await host.settled();
  expect(host.server('srv')).toMatchObject({ status: 'connected' });
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally).toMatchObject({ registrations: 1, tokens: { authorization_code: 1 } });
});

test('what is kept of a sign-in is for its owner only, and in no other file', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  await signInByTool(watched);
  await watched.host.call({ name: 'mcp__srv__read' });
  await watched.host[Symbol.asyncDispose]();
  const [token] = mcp.admitted.keys();
  const files = readdirSync(scene.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const holding = files.filter((file) => readFileSync(file, 'utf8').includes(token!));
  expect(holding).toHaveLength(1);
  expect(holding[0]).toContain(join(scene.home, '.local/state/plugboard'));
  expect(statSync(holding[0]!).mode & 0o077).toBe(0);
});

test('signing out revokes what was given, and a host that comes later has to sign in', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  const { host } = watched;
  await signInByTool(watched);
  const [token] = mcp.admitted.keys();
  watched.changes.length = 0;
  expect(await host.signOut('srv')).toEqual({ kind: 'signed-out', wasRevoked: true });
  expect(oidc.tally.revocations).toBeGreaterThanOrEqual(1);
  expect(await oidc.check(token!)).toBeUndefined();
  await watched.until(({ after }) => after === 'needs-auth');
  expect(toolsOf(host)).toEqual(['authenticate']);
  await host[Symbol.asyncDispose]();
  const later = await openUnknown(scene);
  expect(toolsOf(later.host)).toEqual(['authenticate']);
  await signInByTool(later);
  expect(toolsOf(later.host)).toEqual(['admin', 'append', 'read']);
});

test('that a sign-in is needed is remembered: the next host does not knock, and a sign-in elsewhere makes it', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const first = await openUnknown(scene);
  const refused = { ...mcp.refused };
  const second = await openUnknown(scene);
  expect(mcp.refused).toEqual(refused);
  expect(toolsOf(second.host)).toEqual(['authenticate']);
  await signInByTool(first);
  await second.host.reconnect('srv');
  expect(second.host.server('srv')).toMatchObject({ status: 'connected' });
  const third = await scene.open({ watch: false });
  await third.host.settled();
  expect(third.host.server('srv')).toMatchObject({ status: 'connected' });
});

test('a browser on another machine: the address that it ended at is pasted back', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const { host, until } = await openUnknown(scene);
  const signIn = begun(await host.signIn('srv'), 'browser');
  expect(signIn.host).toBe(new URL(oidc.issuer).host);
  const { url } = await browse(signIn.url, { visits: false });
  const foreign = new URL(url);
  foreign.searchParams.set('state', 'of somebody else');
  expect(await signIn.submit(foreign.href)).toMatchObject({ code: 'sign-in-failed' });
  expect(await signIn.submit('not an address')).toMatchObject({ hint: expect.any(String) });
  expect(await signIn.submit(`  ${url}\n`)).toBeUndefined();
  expect(await signIn.done).toMatchObject({ kind: 'signed-in' });
  await until(({ after }) => after === 'connected');
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});

test('a sign-in that is called off leaves nothing behind, and another one works', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  const signIn = begun(await watched.host.signIn('srv'), 'browser');
  const { url } = await browse(signIn.url, { visits: false });
  signIn.cancel();
  expect(await signIn.done).toEqual({ kind: 'cancelled' });
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(watched.host.server('srv')).toMatchObject({ status: 'needs-auth' });
  await signInByTool(watched);
  expect(oidc.tally.tokens).toEqual({ authorization_code: 1 });
});

test('a tool that wants more rights gets them by another sign-in, which asks for the old ones as well', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const watched = await openUnknown(scene);
  await signInByTool(watched);
  const { host, until } = watched;
  const refused = await host.call({ name: 'mcp__srv__admin' });
  expect(refused.outcome).toBe('error');
  expect(textOf(refused)).toMatch(/admin/u);
  expect(textOf(refused)).toMatch(/host\.signIn\("srv", \{ scopes|authenticate/u);
  expect(mcp.journal).toEqual([]);
  expect(mcp.refused[403]).toBeLessThanOrEqual(2);
  const signIn = begun(await host.signIn('srv'), 'browser');
  expect(signIn.scopes).toEqual(expect.arrayContaining(['admin', 'read']));
  await browse(signIn.url);
  expect(await signIn.done).toMatchObject({ kind: 'signed-in' });
  await until(({ after }) => after === 'connected');
  await host.settled();
  expect(await host.call({ name: 'mcp__srv__admin' })).toMatchObject({ outcome: 'ok' });
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});

test('a server of 2024 is signed in to in the same way', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc, isSse: true }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'sse', url: mcp.url } });
  const watched = await openUnknown(scene);
  await signInByTool(watched);
  const read = await watched.host.call({ name: 'mcp__srv__read', input: { key: 'a' } });
  expect([read.outcome, textOf(read)]).toEqual(['ok', 'somebody: read a']);
  for (const token of mcp.admitted.keys()) mcp.revoked.add(token);
  expect(await watched.host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(oidc.tally.granted).toEqual({ authorization_code: 1, refresh_token: 1 });
});

test('the tool that signs in says the same page to whoever asks twice', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const { host, until } = await openUnknown(scene);
  const texts = (await Promise.all([host.call({ name: AUTHENTICATE }), host.call({ name: AUTHENTICATE })])).map(textOf);
  await browse(urlIn(texts[1]!));
  await until(({ after }) => after === 'connected');
  expect(oidc.tally.registrations).toBe(1);
});

test('an embedding program hands in a token, and another one when it is refused', async () => {
  const oidc = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority: oidc }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url } });
  const first = await openUnknown(scene);
  await signInByTool(first);
  await first.host[Symbol.asyncDispose]();
  const [good] = [...mcp.admitted.keys()];
  const other = openAuthScene();
  other.configure({ srv: { type: 'http', url: mcp.url } });
  const asked: unknown[] = [];
  const token = async (request: object): Promise<string | undefined> => {
    asked.push(request);
    return 'refused' in request ? good : 'an-old-token';
  };
  const { host } = await other.open({ watch: false, ports: { token } });
  await host.settled();
  expect(host.server('srv')).toMatchObject({ status: 'connected' });
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(asked).toEqual([
    { server: 'srv', url: mcp.url },
    { server: 'srv', url: mcp.url, refused: 'an-old-token' },
  ]);
});
