import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { firstLine, openWorkshop, type Workshop } from './process-fixtures.js';
import { HostMark } from './process-mark.js';
import { ProcessSweeper, sweepNow } from './process-sweep.js';
import type { ServerProcess } from './process-tree.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

/** One process in a session of its own, and one that is also a child of init; both ignore signals. */
const RUNAWAYS = `trap '' HUP INT TERM; setsid sleep 60 </dev/null >/dev/null 2>&1 & (setsid sleep 60 </dev/null >/dev/null 2>&1 &)`;

/** Starts a server, and waits until the runaways have left its group. */
async function startWithRunaways(then = 'exec cat'): Promise<ServerProcess> {
  const before = workshop.survivors().length;
  const server = await workshop.start({
    command: '/bin/sh',
    args: ['-c', `${RUNAWAYS}; sleep 0.1; echo ready; ${then}`],
  });
  expect(await firstLine(server.stdout)).toBe('ready');
  await vi.waitFor(() => expect(workshop.survivors().length - before).toBe(3), DIAGNOSED);
  return server;
}

test('a closed server takes along what left its group, and nothing of another server', async () => {
  const [one, other] = [await startWithRunaways(), await startWithRunaways()];
  await one[Symbol.asyncDispose]();
  expect(workshop.survivors()).toHaveLength(3);
  await other[Symbol.asyncDispose]();
  expect(workshop.survivors()).toEqual([]);
});

test('so does one that crashes', async () => {
  const server = await startWithRunaways('read line; exit 1');
  server.stdin.write('go\n');
  await server.exited;
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
});

test('a registry that is closed before its servers ends them all', async () => {
  await startWithRunaways();
  await startWithRunaways();
  const listeners = process.listenerCount('exit');
  await workshop.registry[Symbol.asyncDispose]();
  await workshop.registry[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
  expect(process.listenerCount('exit')).toBe(listeners - 1);
});

/** Starts one sleeper for each mark. */
function startSleepers(marks: readonly { readonly env: Readonly<Record<string, string>> }[], env = {}): void {
  for (const mark of marks) {
    spawn('/bin/sleep', ['60'], { env: { ...workshop.env, ...env, ...mark.env }, stdio: 'ignore', detached: true });
  }
}

test('one look ends what carries any of many marks, and leaves the rest', async () => {
  const [host, another] = [new HostMark(undefined), new HostMark(undefined)];
  const servers = Array.from({ length: 6 }, () => host.nextServer());
  startSleepers([...servers, another.nextServer()]);
  const sweeper = new ProcessSweeper();
  const swept = servers.slice(0, 4).map(({ mark }) => sweeper.sweep(mark));
  expect(await Promise.all([...swept, sweeper.sweep(servers[0]!.mark)])).toEqual([true, true, true, true, true]);
  expect(workshop.survivors()).toHaveLength(3);
  expect(await sweeper.sweep(host.host.id)).toBe(true);
  expect(workshop.survivors()).toHaveLength(1);
  sweepNow(another.host.id);
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
});

test('a mark is found behind an environment that is very long', async () => {
  const server = new HostMark(undefined).nextServer();
  startSleepers(
    [server],
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`LONG_${index}`, 'x'.repeat(100_000)])),
  );
  expect(await new ProcessSweeper().sweep(server.mark)).toBe(true);
  expect(workshop.survivors()).toEqual([]);
});

test('what keeps starting others of its kind is ended, too', async () => {
  const server = await workshop.start({
    command: '/bin/sh',
    args: ['-c', `setsid sh -c 'while :; do sleep 0.01 & done' </dev/null >/dev/null 2>&1 & exec cat`],
  });
  await vi.waitFor(() => expect(workshop.survivors().length).toBeGreaterThan(5), DIAGNOSED);
  await server[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
});

test('processes without an environment are looked at and left alone', async () => {
  const bare = spawn('/usr/bin/env', ['-i', '/bin/sleep', '60'], { env: {}, stdio: 'ignore' });
  try {
    expect(await new ProcessSweeper().sweep(new HostMark(undefined).host.id)).toBe(true);
    expect([bare.exitCode, bare.signalCode]).toEqual([null, null]);
  } finally {
    bare.kill('SIGKILL');
  }
});
