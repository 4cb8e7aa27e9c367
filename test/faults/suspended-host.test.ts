import { expect, onTestFinished, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { openScene } from '../host/scene.js';
import { SessionServer } from '../host/session-server.js';
import { bundleChildHost, openChildHost } from './child-host.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { percentiles, showPercentiles } from './percentiles.js';

// Fault F42: the host process is stopped (SIGSTOP), as on a laptop that sleeps.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const SUSPENDED_MS = FULL ? 60_000 : 500;
const LOCAL = FULL ? 12 : 4;
const REMOTE = FULL ? 20 : 6;
const SPREAD_MS = 20; // jitter spreads the reconnects over some hundred milliseconds

test(`F42: a host that stood still for ${SUSPENDED_MS} ms reaches every server again, once and not all at the same moment`, async () => {
  using program = await bundleChildHost();
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const servers = await Promise.all(Array.from({ length: REMOTE }, () => new SessionServer().listen()));
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.die()))));
  const locals = Array.from({ length: LOCAL }, (_, index) => `local-${index}`);
  scene.configure({
    ...Object.fromEntries(locals.map((name) => [name, scene.journaling(leftovers.env)])),
    ...Object.fromEntries(servers.map(({ url }, index) => [`remote-${index}`, { type: 'http', url }])),
    kept: scene.journaling({ ...leftovers.env, STARTS: '' }),
  });
  await using host = await openChildHost(program, scene, { mark: leftovers.env });
  await host.ask('settled');
  const history = new History(host.host, 'kept');
  expect(await history.call('append')).toMatchObject({ outcome: 'ok' });
  expect(servers.map(({ handshakes }) => handshakes)).toEqual(servers.map(() => 1));

  process.kill(host.pid, 'SIGSTOP');
  const underWay = history.call('append', { ms: 50 });
  // While the host is stopped all servers die, and the remote ones restart without their sessions.
  for (const pid of scene.starts()) process.kill(pid, 'SIGKILL');
  await Promise.all(servers.map((server) => server.die()));
  await Promise.all(servers.map((server) => server.listen()));
  const initializedAt: number[] = [];
  for (const server of servers) {
    server.refuse = (method) => void (method === 'initialize' && initializedAt.push(performance.now()));
  }
  await new Promise((resolve) => void setTimeout(resolve, SUSPENDED_MS));
  const resumed = performance.now();
  const seen = host.changes.length;
  process.kill(host.pid, 'SIGCONT');
  expect(await underWay).toMatchObject({ outcome: 'ok', attempts: 1 });

  await Promise.all(locals.map((name) => host.until(name, 'connected', 2)));
  while (servers.some(({ handshakes }) => handshakes < 2)) await new Promise((resolve) => void setTimeout(resolve, 10));
  const recoveredMs = Math.round(performance.now() - resumed);
  const answers = await Promise.all(
    servers.map((_, index) => host.host.call({ name: `mcp__remote-${index}__append`, input: { key: `${index}` } })),
  );
  expect(answers.map(({ outcome }) => outcome)).toEqual(servers.map(() => 'ok'));
  await history.call('append');
  const wave = host.changes.slice(seen);
  const returns = wave.filter(({ name, after }) => name.startsWith('local') && after === 'connected');
  const lost = wave.filter(({ name, after }) => name.startsWith('local') && after === 'reconnecting');
  const spread = spreadOf(returns.map(({ seen: at }) => at));
  const remoteSpread = spreadOf(initializedAt);
  const handshakes = servers.map(({ handshakes: count }) => count);
  const verdict = history.judge(readJournal(scene.journal));
  await host[Symbol.asyncDispose]();
  const deleted = servers.filter(({ sessions }) => sessions === 0).length;
  await Promise.all(servers.map((server) => server.die()));
  const { processes, descriptors } = await leftovers.count();
  const times = returns.map(({ name, seen: at }) => at - lost.find((change) => change.name === name)!.seen);
  checkHistory('F42', verdict, {
    recovered: showPercentiles(percentiles(times)),
    'all within': `${recoveredMs} ms`,
    'local ones spread over': `${Math.round(spread)} ms`,
    'remote ones over': `${Math.round(remoteSpread)} ms`,
    handshakes: handshakes.join('/'),
    processes,
    descriptors,
  });
  expect([lost.length, returns.length]).toEqual([LOCAL, LOCAL]);
  expect(scene.starts()).toHaveLength(2 * LOCAL);
  expect(handshakes).toEqual(servers.map(() => 2));
  expect(spread).toBeGreaterThan(SPREAD_MS);
  expect(verdict).toMatchObject({ calls: 3, ok: 3 });
  expect(deleted).toBe(REMOTE);
  expect([host.child.exitCode, host.stderr()]).toEqual([0, '']);
  expect([processes, descriptors]).toEqual([0, 0]);
});

function spreadOf(times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times);
}

test.runIf(FULL)('F42: a host that stood still while a server started does not take it for a slow one', async () => {
  using program = await bundleChildHost();
  const leftovers = watchLeftovers();
  await using scene = openScene();
  scene.configure({ slow: scene.journaling({ ...leftovers.env, BOOT_MS: '300' }) });
  const options = { env: { ...scene.env, MCP_TIMEOUT: '1000' } };
  await using host = await openChildHost(program, scene, { options, mark: leftovers.env });
  while (scene.starts().length === 0) await turn();
  process.kill(host.pid, 'SIGSTOP');
  await new Promise((resolve) => void setTimeout(resolve, 1_500));
  process.kill(host.pid, 'SIGCONT');
  await host.ask('settled');
  expect(host.changes.map(({ after }) => after)).toEqual(['pending', 'connected']);
});
