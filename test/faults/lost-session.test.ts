// F34: a server restarts behind a load balancer, and many calls find at once that their session is lost.
import { expect, test } from 'vitest';
import { openScene, type Scene, type Watched } from '../host/scene.js';
import { type Refusal, SessionServer } from '../host/session-server.js';
import { checkHistory, History } from './history.js';
import { IS_FULL } from './load-figures.js';

const CALLS = IS_FULL ? 1_000 : 100;

/** What servers on the official SDK answer to an unknown session, in place of 404. */
const NO_SESSION: Refusal = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    error: { code: -32_000, message: 'Bad Request: No valid session ID provided' },
    id: null,
  }),
};

async function open(scene: Scene, server: SessionServer): Promise<Watched> {
  scene.configure({ remote: { type: 'http', url: server.url } });
  const watched = await scene.open({ watch: false });
  await watched.host.settled();
  expect(watched.host.server('remote')?.status).toBe('connected');
  return watched;
}

function makeCalls(history: History, count = CALLS): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, () => history.call('append')));
}

/** Has the server refuse every request except the handshake as long as it has no session. */
function refuseWith(server: SessionServer, refusal: Refusal | undefined): void {
  server.refuse = (method) =>
    server.sessions > 0 || method === 'initialize' || method === 'server/discover' ? undefined : refusal;
}

test.each([
  ['404', undefined],
  ['400 "No valid session ID"', NO_SESSION],
])(`${CALLS} calls that meet %s are all made after one new handshake`, async (what, refusal) => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host, changes } = await open(scene, server);
  const { listings, handshakes } = server;
  const history = new History(host, 'remote');
  refuseWith(server, refusal);
  server.forget();
  const began = performance.now();
  await makeCalls(history);
  const recoveryMs = Math.round(performance.now() - began);
  await host.settled();
  const verdict = history.judge(server.ran);
  const more = { handshakes: server.handshakes - handshakes, listings: server.listings - listings, recoveryMs };
  await host[Symbol.asyncDispose]();
  checkHistory(`F34 ${what}`, verdict, { ...more, sessionsLeft: server.sessions });
  expect(verdict).toMatchObject({ ok: CALLS });
  expect(more).toMatchObject({ handshakes: 1, listings: 1 });
  expect(server.sessions).toBe(0);
  // No change of status is reported.
  expect(changes.map(({ after }) => after)).toEqual(['pending', 'connected']);
});

test('calls that are made while the server is greeted again wait for that, too', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  const { listings, handshakes } = server;
  const history = new History(host, 'remote');
  const meanwhile: Promise<unknown>[] = [];
  server.refuse = (method) => {
    if (method === 'initialize') meanwhile.push(makeCalls(history, CALLS / 2));
    return undefined;
  };
  server.forget();
  await makeCalls(history, CALLS / 2);
  expect(meanwhile).toHaveLength(1);
  await Promise.all(meanwhile);
  await host.settled();
  const verdict = history.judge(server.ran);
  const more = { handshakes: server.handshakes - handshakes, listings: server.listings - listings };
  checkHistory('F34 calls meanwhile', verdict, more);
  expect({ ...verdict, ...more }).toMatchObject({ ok: CALLS, handshakes: 1, listings: 1 });
});

// Each retry waits for most of a second, so these tests run concurrently.
test.concurrent('a server that is still starting when it is greeted again has run nothing, and every call is made in the end', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host } = await open(scene, server);
  const { listings, handshakes } = server;
  const history = new History(host, 'remote');
  let refusals = 1;
  server.refuse = (method) => (method === 'initialize' && refusals-- > 0 ? { status: 503 } : undefined);
  server.forget();
  await makeCalls(history);
  await host.settled();
  const verdict = history.judge(server.ran);
  const more = { handshakes: server.handshakes - handshakes, listings: server.listings - listings };
  checkHistory('F34 503 to the greeting', verdict, more);
  expect({ ...verdict, ...more }).toMatchObject({ ok: CALLS, handshakes: 1, listings: 1 });
});

test.concurrent('a server that dies in the middle of being greeted again has run nothing, and every call is made in the end', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host, until } = await open(scene, server);
  const history = new History(host, 'remote');
  const calls: Promise<unknown>[] = [];
  server.refuse = (method) => {
    if (method !== 'initialize' || calls.length > 1) return undefined;
    calls.push(makeCalls(history, CALLS / 2));
    void server.die();
    return { status: 500 };
  };
  server.forget();
  calls.push(makeCalls(history, 1));
  await until(({ after }) => after === 'reconnecting');
  calls.push(makeCalls(history, CALLS / 2));
  const { handshakes, listings } = server;
  const began = performance.now();
  await server.listen();
  await Promise.all(calls);
  const recoveryMs = Math.round(performance.now() - began);
  await host.settled();
  const verdict = history.judge(server.ran);
  const more = { handshakes: server.handshakes - handshakes, listings: server.listings - listings };
  checkHistory('F34 dies while greeted', verdict, { ...more, recoveryMs });
  expect({ ...verdict, ...more }).toMatchObject({ ok: CALLS + 1, handshakes: 1, listings: 1 });
});

test.concurrent('a server that restarts in the middle of many calls runs nothing twice, and what nobody can know is called unknown', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  const { host, until } = await open(scene, server);
  const history = new History(host, 'remote');
  let answered = 0;
  // The server goes down when half of the first calls are done.
  server.beforeAnswer = () => {
    if (++answered === CALLS / 4) void server.die();
    return true;
  };
  const calls = makeCalls(history, CALLS / 2);
  const reads = Promise.all(Array.from({ length: CALLS / 2 }, () => history.call('read')));
  await until(({ after }) => after === 'reconnecting');
  const meanwhile = makeCalls(history, CALLS / 2);
  const { handshakes, listings } = server;
  await server.listen();
  const began = performance.now();
  await Promise.all([calls, reads, meanwhile]);
  const recoveryMs = Math.round(performance.now() - began);
  await host.settled();
  const verdict = history.judge(server.ran);
  const more = { handshakes: server.handshakes - handshakes, listings: server.listings - listings };
  checkHistory('F34 restart in mid-call', verdict, { ...more, recoveryMs });
  expect(more).toEqual({ handshakes: 1, listings: 1 });
  // Calls that only read are retried, and calls that had not been sent are sent for the first time.
  expect(verdict.error).toBe(0);
  expect(verdict.unknown).toBeLessThanOrEqual(CALLS / 2);
  expect(history.records.filter(({ tool, result }) => tool === 'read' && result?.outcome !== 'ok')).toEqual([]);
  expect(await meanwhile).toMatchObject(Array.from({ length: CALLS / 2 }, () => ({ outcome: 'ok' })));
});
