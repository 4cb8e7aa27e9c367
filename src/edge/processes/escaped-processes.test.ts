import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { firstLine, openWorkshop, type Workshop } from './process-fixtures.js';
import { killNow } from './process-group.js';
import type { ServerProcess } from './process-tree.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

let workshop: Workshop;
/** Recognizes a process without an environment: the seconds that it sleeps. */
let nap: string;
let count = 0;
beforeEach(() => {
  workshop = openWorkshop();
  nap = `60.${process.pid}${count++}`;
});
afterEach(() => {
  for (const pid of sleepers()) killNow(pid);
  workshop[Symbol.dispose]();
});

function sleepers(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid) === `sleep\0${nap}\0`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // exited meanwhile
  }
}

/** Starts a sleeper and its parent shell in a session of their own, without an environment; then runs `then`. */
const server = (then: string): string => `trap '' HUP INT TERM
  setsid env -i /bin/sh -c 'sleep ${nap} & wait' </dev/null >/dev/null 2>&1 &
  echo ready; ${then}`;

async function start(then = 'exec cat'): Promise<ServerProcess> {
  const started = await workshop.start({ command: '/bin/sh', args: ['-c', server(then)] });
  expect(await firstLine(started.stdout)).toBe('ready');
  await vi.waitFor(() => expect(sleepers()).toHaveLength(1), DIAGNOSED);
  return started;
}

test('a closed server takes along what cleared its environment and opened a session of its own', async () => {
  const bystander = spawn('/bin/sleep', ['60'], { env: workshop.env, stdio: 'ignore', detached: true });
  const started = await start();
  await started[Symbol.asyncDispose]();
  await expect.poll(sleepers).toEqual([]);
  expect(workshop.survivors()).toEqual([bystander.pid]);
});

test('so does one that crashes, once its children have been looked at', async () => {
  const started = await start('read line; kill -KILL $$');
  await workshop.registry.look();
  started.stdin.write('go\n');
  await started.exited;
  await expect.poll(sleepers).toEqual([]);
});

test('a registry that is closed before its servers ends them all', async () => {
  await start();
  await workshop.registry[Symbol.asyncDispose]();
  await expect.poll(sleepers).toEqual([]);
});

/** Starts a host in a process of its own, with such a server. */
async function startHost(then: string): Promise<ChildProcess> {
  const bundle = await workshop.bundle(`
    import { systemClock as clock } from '../clock.js';
    import { ProcessRegistry } from './process-registry.js';
    import { startProcess } from './process-tree.js';
    const registry = new ProcessRegistry();
    const args = ['-c', ${JSON.stringify(server(then))}];
    const server = await startProcess({ name: 'db', command: '/bin/sh', args, cwd: '/', env: process.env, clock, registry });
    await new Promise((done) => server.stdout.once('data', done));
    process.stdin.on('data', async (word) => {
      if (String(word) === 'exit') process.exit(5);
      await registry.look();
      console.log('looked');
    });
    console.log('up');`);
  const host = spawn(process.execPath, [bundle], { env: workshop.env, stdio: ['pipe', 'pipe', 'inherit'] });
  expect(await firstLine(host.stdout)).toBe('up');
  await vi.waitFor(() => expect(sleepers()).toHaveLength(1), DIAGNOSED);
  return host;
}

test('a host that calls process.exit leaves none', async () => {
  const host = await startHost('exec cat');
  host.stdin!.write('exit');
  await expect.poll(sleepers).toEqual([]);
});

test('a host that is killed leaves none either, if its server still runs when the reaper looks', async () => {
  const host = await startHost('exec sleep 60');
  host.kill('SIGKILL');
  await expect.poll(sleepers).toEqual([]);
});

test('nor if the server goes with the host, once its children have been looked at', async () => {
  const host = await startHost('exec cat');
  const looked = firstLine(host.stdout!);
  host.stdin!.write('look');
  expect(await looked).toBe('looked');
  host.kill('SIGKILL');
  await expect.poll(sleepers).toEqual([]);
});
