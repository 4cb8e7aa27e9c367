// F31: almost a third of many configured HTTP servers is dead.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import { HeldClock } from '../held-clock.js';
import { openScene } from '../host/scene.js';
import { type Crowd, openCrowd, tallyOnStdio } from './crowd.js';
import { IS_FULL, possessions, quantile, tell, watchStall } from './load-figures.js';

const SERVERS = IS_FULL ? 1_000 : 100;
const READY_MS = 5_000;
/** Wall-clock time on an idle machine. In npm test no timeout runs out: what happens has not waited for one. */
const MOST_MS = IS_FULL ? READY_MS : Infinity;
const clock = IS_FULL ? systemClock : new HeldClock(1_000);

test(`of ${SERVERS} HTTP servers the healthy ones are soon ready, with 30 % dead among them, and nothing else is held up`, async () => {
  await using crowd = await openCrowd();
  await using scene = openScene();
  const names = Array.from({ length: SERVERS }, (_, index) => `s${index}`);
  const healthy = names.filter((_, index) => !isDead(index));
  const entries = names.map((name, index) => {
    if (!isDead(index)) return [name, crowd.entry(name)] as const;
    return [name, index % 2 === 0 ? crowd.refused : { ...crowd.silent }] as const;
  });
  const aloneMs = IS_FULL ? await timeAlone(crowd, healthy) : 0;
  scene.configure({ ...Object.fromEntries(entries), local: tallyOnStdio() });
  const { handshakes } = await crowd.figures();
  const before = await possessions();
  const watch = watchStall();

  const cpu = process.cpuUsage();
  const began = performance.now();
  const { host, changes, until } = await scene.open({ watch: false, ports: { clock } });
  const openedMs = performance.now() - began;
  const readyAt = new Map<string, number>();
  host.on('server', ({ name, after }) => after === 'connected' && readyAt.set(name, performance.now() - began));
  await until(({ name, after }) => name === 'local' && after === 'connected');
  const localMs = performance.now() - began;
  // Calls the local server while the others are still connecting.
  const calls: number[] = [];
  while (readyAt.size <= healthy.length) {
    const called = performance.now();
    const { outcome } = await host.call({ name: 'mcp__local__read', input: { key: calls.length } });
    expect(outcome).toBe('ok');
    calls.push(performance.now() - called);
    if (IS_FULL && performance.now() - began > 2 * READY_MS) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const readyMs = Math.max(...readyAt.values());
  const silent = names.filter((_, index) => isDead(index) && index % 2 === 1);
  const changed = changes.filter(({ name, after: state }) => silent.includes(name) && state !== 'pending');
  const { user, system } = process.cpuUsage(cpu);
  const stall = watch.stop();
  // A call of a silent server ends with its timeout, a call of a healthy one succeeds.
  const asked = performance.now();
  const [answered, unanswered] = await Promise.all([
    host.call({ name: `mcp__${healthy.at(-1)}__append`, input: { key: 1 } }),
    host.call({ name: 'mcp__s5__append', input: { key: 1 }, timeoutMs: 200 }),
  ]);
  const unansweredMs = performance.now() - asked;
  const figures = await crowd.figures();
  const failed = changes.filter(({ after }) => after === 'failed').length;
  const closing = performance.now();
  await host[Symbol.asyncDispose]();
  const closeMs = performance.now() - closing;
  const after = await possessions();
  const left = await crowd.figures();
  tell('F31', {
    servers: SERVERS,
    ready: readyAt.size,
    lost: healthy.length + 1 - readyAt.size,
    duplicated: figures.handshakes - handshakes - healthy.length,
    failed,
    openedMs,
    localMs,
    readyMs,
    ...(IS_FULL && { aloneMs }),
    cpuMs: (user + system) / 1e3,
    calls: calls.length,
    callP99Ms: quantile(calls, 0.99),
    ...stall,
    closeMs,
    descriptors: after.descriptors - before.descriptors,
    sessions: left.sessions,
  });
  expect(readyAt.size).toBe(healthy.length + 1);
  expect(figures.handshakes - handshakes).toBe(healthy.length);
  // Compared with the healthy servers alone, because a slow machine is not the fault of the dead ones.
  expect(readyMs).toBeLessThan(Math.max(MOST_MS, 1.5 * aloneMs));
  expect(localMs).toBeLessThan(MOST_MS / 2);
  expect(unansweredMs).toBeLessThan(MOST_MS);
  expect(closeMs).toBeLessThan(MOST_MS);
  expect(IS_FULL ? [] : changed).toEqual([]);
  expect(answered).toMatchObject({ outcome: 'ok' });
  expect(unanswered).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'call-timeout' } });
  // `sessions` is not checked: the requests that end hundreds of them may take longer than the second they have.
  expect(left).toMatchObject({ streams: 0, sockets: 0 });
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
});

/** Three of ten, at several places in the order: servers before and after them must not be delayed. */
function isDead(index: number): boolean {
  return index % 10 === 0 || index % 10 === 4 || index % 10 === 5;
}

/** How long the healthy servers take on this machine without dead ones. */
async function timeAlone(crowd: Crowd, names: readonly string[]): Promise<number> {
  await using scene = openScene();
  scene.configure(Object.fromEntries(names.map((name) => [name, crowd.entry(name)])));
  const began = performance.now();
  const { host } = await scene.open({ watch: false });
  await host.settled();
  return performance.now() - began;
}
