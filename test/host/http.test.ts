import { expect, test } from 'vitest';
import { FakeClock } from '../fake-clock.js';
import type { Watched } from './scene.js';
import { openScene, type Scene } from './scene.js';
import { SessionServer } from './session-server.js';
import { HeldClock } from '../held-clock.js';

async function open(scene: Scene, server: SessionServer, more: object = {}): Promise<Watched> {
  scene.configure({ remote: { type: 'http', url: server.url, ...more } });
  const watched = await scene.open({ watch: false, ports: { random: () => 1 } });
  await watched.host.settled();
  return watched;
}

test('401 on a request makes a server wait for a sign-in, and calls are told so', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  expect(host.server('remote')?.status).toBe('connected');
  server.refuse = () => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  const refused = await host.call({ name: 'mcp__remote__append', input: { key: 'a' } });
  expect(refused).toMatchObject({ outcome: 'error', error: { code: 'unauthorized' } });
  expect(host.server('remote')).toMatchObject({ status: 'needs-auth', error: { code: 'unauthorized' } });
  // The server is not asked a second time.
  expect(await host.call({ name: 'mcp__remote__read' })).toMatchObject({ outcome: 'error', attempts: 0 });
  expect(server.ran).toEqual([]);
  server.refuse = undefined;
  expect(await host.reconnect('remote')).toMatchObject({ status: 'connected', tools: 3 });
});

test('401 while nobody waits for anything makes a server wait for a sign-in, too', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { until } = await open(scene, server);
  server.refuse = () => ({ status: 401 });
  server.endStreams();
  expect(await until(({ after }) => after === 'needs-auth')).toMatchObject({ before: 'connected' });
});

test('401 at the first contact ends in a sign-in, not in a failure', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  server.refuse = () => ({ status: 401 });
  const { host, changes } = await open(scene, server);
  expect(changes.map(({ after }) => after)).toEqual(['pending', 'needs-auth']);
  expect(host.server('remote')?.error?.code).toBe('unauthorized');
});

test('a server that has gone is noticed by a call, which waits until it is back', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  server.hasStream = false;
  const { host, until } = await open(scene, server);
  await server.die();
  const calls = ['a', 'b', 'c'].map((key) => host.call({ name: 'mcp__remote__append', input: { key } }));
  await until(({ after }) => after === 'reconnecting');
  await server.listen();
  for (const call of calls) expect(await call).toMatchObject({ outcome: 'ok' });
  expect(server.ran.toSorted()).toEqual(['append a', 'append b', 'append c']);
  expect(server.handshakes).toBe(2);
});

test('a server that has gone is noticed by its stream while nobody calls', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  scene.configure({ remote: { type: 'http', url: server.url } });
  const clock = new FakeClock();
  const { host, changes } = await scene.open({ watch: false, ports: { clock } });
  await host.settled();
  await server.die();
  // The stream is retried and given up; then a ping gets no response.
  while (changes.at(-1)?.after !== 'reconnecting') await clock.pass(100);
  expect(changes.at(-1)?.reason).toMatch(/refused the connection/u);
});

test('a session that 100 calls find lost is renewed once, and every call runs once', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host, changes } = await open(scene, server);
  const { listings } = server;
  server.forget();
  const calls = await Promise.all(
    Array.from({ length: 100 }, (_, key) => host.call({ name: 'mcp__remote__append', input: { key: `${key}` } })),
  );
  expect(calls.filter(({ outcome }) => outcome === 'ok')).toHaveLength(100);
  expect(new Set(server.ran).size).toBe(100);
  expect(server.ran).toHaveLength(100);
  expect(server.handshakes).toBe(2);
  expect(changes.map(({ after }) => after)).toEqual(['pending', 'connected']);
  // The lists are requested again in the new session.
  await host.settled();
  expect(server.listings).toBe(listings + 1);
});

test('an answer that is cut off is asked for again only where that does no harm', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  let isCut = true;
  server.beforeAnswer = (response) => {
    if (isCut) response.destroy();
    return !isCut || ((isCut = false), false);
  };
  expect(await host.call({ name: 'mcp__remote__read' })).toMatchObject({ outcome: 'ok', attempts: 2 });
  isCut = true;
  expect(await host.call({ name: 'mcp__remote__put' })).toMatchObject({ outcome: 'ok', attempts: 2 });
  isCut = true;
  expect(await host.call({ name: 'mcp__remote__append' })).toMatchObject({ outcome: 'unknown', attempts: 1 });
  expect(server.ran).toEqual(['read', 'read', 'put', 'put', 'append']);
});

test('a server that says when to come back is asked once more then', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  let left = 1;
  server.refuse = (method) =>
    method === 'tools/call' && left-- > 0 ? { status: 429, headers: { 'retry-after': '0' } } : undefined;
  expect(await host.call({ name: 'mcp__remote__append' })).toMatchObject({ outcome: 'ok', attempts: 2 });
  server.refuse = (method) => (method === 'tools/call' ? { status: 503, headers: { 'retry-after': '0' } } : undefined);
  expect(await host.call({ name: 'mcp__remote__append' })).toMatchObject({ outcome: 'unknown', attempts: 1 });
  expect(await host.call({ name: 'mcp__remote__read' })).toMatchObject({ outcome: 'unknown', attempts: 2 });
});

const HINTS = {
  429: /^Try again in (?:\d+ (?:s|min), at .* UTC|a minute)$/u,
  503: /^Find out whether it was done/u,
};

test.each([
  [429, 'error', '5', 2, /^Server "remote" answered HTTP 429; it says to try again in 5 s, at \d\d:\d\d:\d\d UTC$/u],
  [429, 'error', '6', 1, /^Server "remote" answered HTTP 429; it says to try again in 6 s, at \d\d:\d\d:\d\d UTC$/u],
  [429, 'error', '5400', 1, /in 90 min, at/u],
  [429, 'error', undefined, 2, /it does not say when to try again/u],
  [503, 'unknown', '90', 1, /in 90 s, at .* UTC; whether it was done is unknown$/u],
] as const)(
  'HTTP %i ends a call as %s when the wait of %s s is over 5 s or has not helped, and says when to come back',
  async (status, outcome, seconds, attempts, message) => {
    await using scene = openScene();
    await using server = await new SessionServer().listen();
    const clock = new FakeClock();
    scene.configure({ remote: { type: 'http', url: server.url } });
    const { host } = await scene.open({ watch: false, ports: { clock } });
    await host.settled();
    const headers = seconds === undefined ? {} : { 'retry-after': seconds };
    server.refuse = (method) => (method === 'tools/call' ? { status, headers } : undefined);
    const calling = host.call({ name: 'mcp__remote__read' });
    const progress = { isOver: false };
    void calling.then(() => (progress.isOver = true));
    while (!progress.isOver) await clock.pass(100);
    const { error, ...result } = await calling;
    expect(result).toMatchObject({ outcome, attempts });
    expect(error?.message).toMatch(message);
    expect(error?.hint).toMatch(HINTS[status]);
    expect(server.ran).toEqual([]);
  },
);

test('a server that says at the first contact when to come back is not asked before, and its state says when', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  let asked = 0;
  server.refuse = () => (asked++, { status: 429, headers: { 'retry-after': '90' } });
  const { host } = await open(scene, server, { era: 'legacy' });
  expect(host.server('remote')).toMatchObject({
    status: 'failed',
    error: { hint: expect.stringContaining('in 90 s') },
  });
  expect(asked).toBe(1);
});

test('a first connect that meets a server in the middle of its restart gets a second chance', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  await server.die();
  scene.configure({ remote: { type: 'http', url: server.url } });
  const clock = new HeldClock(200);
  const { host } = await scene.open({ watch: false, ports: { clock } });
  await expect.poll(() => clock.held).toContain(200);
  await server.listen();
  await clock.lapse(200);
  await host.settled();
  expect(host.server('remote')?.status).toBe('connected');
});

test('a server that stays away is failed after its first connect, with the reason', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  await server.die();
  const { host, changes } = await open(scene, server);
  expect(changes.map(({ after }) => after)).toEqual(['pending', 'failed']);
  expect(host.server('remote')?.error).toMatchObject({ code: 'connect-failed' });
});

test('closing a host ends its session with the server', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  await host[Symbol.asyncDispose]();
  expect([server.deleted, server.sessions]).toEqual([1, 0]);
});
