import { expect, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { isRunning, openScene } from '../host/scene.js';
import { bundleChildHost, openChildHost } from './child-host.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';

// Fault F25: far more servers than the file descriptors suffice for.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const LIMIT = 64;
const SERVERS = 100;
const STARTING = 4;
const CALLS = FULL ? 100 : 5;

test(`F25: with ${LIMIT} descriptors and ${SERVERS} servers some work, the others say why not, and may take their places`, async () => {
  using program = await bundleChildHost();
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const names = Array.from({ length: SERVERS }, (_, index) => `notes-${index}`);
  scene.configure(Object.fromEntries(names.map((name) => [name, scene.journaling(leftovers.env)])));
  await using host = await openChildHost(program, scene, { mark: leftovers.env, before: `ulimit -n ${LIMIT}` });
  await host.ask('settled');
  const servers = await host.ask('servers');
  const connected = servers.filter(({ status }) => status === 'connected').map(({ name }) => name);
  const failed = servers.filter(({ status }) => status === 'failed');
  expect(connected.length + failed.length).toBe(SERVERS);
  expect(connected.length).toBeGreaterThanOrEqual(5);
  for (const { error } of failed) expect(error?.message).toMatch(/too many open files \(EMFILE\)/u);
  for (const { error } of failed) expect(error).toMatchObject({ code: 'start-failed', hint: /ulimit -n/u });

  // Connected servers work as ever.
  const history = new History(host.host, connected[0]!);
  for (let call = 0; call < CALLS; call++) await history.call('append');
  expect(await host.ask('reconnect', { name: failed[0]!.name })).toMatchObject({ status: 'failed' });

  // The next servers to connect take the places that become free.
  const began = performance.now();
  const [kept, ...given] = connected;
  for (const name of given) await host.ask('disable', { name });
  while (scene.starts().filter(isRunning).length > 1) await turn();
  await host.ask('size'); // by this response the host has noticed the exits too
  // A start needs a few more descriptors than it keeps open, and several starts run at a time.
  const next = failed.slice(0, given.length - STARTING).map(({ name }) => name);
  const came = await Promise.all(next.map((name) => host.ask('reconnect', { name })));
  const recoveredMs = Math.round(performance.now() - began);
  expect(came.map((state) => state?.status)).toEqual(next.map(() => 'connected'));
  const other = await host.host.call({ name: `mcp__${next[0]}__read`, input: { key: 'other' } });
  expect(other).toMatchObject({ outcome: 'ok' });
  await history.call('append');
  expect(kept).toBe(connected[0]);
  const verdict = history.judge(readJournal(scene.journal));
  await host[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  checkHistory('F25', verdict, {
    connected: connected.length,
    failed: failed.length,
    recovered: `${came.length} in ${recoveredMs} ms`,
    processes,
    descriptors,
  });
  expect(verdict.ok).toBe(CALLS + 1);
  expect([host.child.exitCode, host.stderr()]).toEqual([0, '']);
  expect([processes, descriptors]).toEqual([0, 0]);
});
