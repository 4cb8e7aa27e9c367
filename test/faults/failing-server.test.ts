import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../fake-clock.js';
import { openScene, type Scene, type Watched } from '../host/scene.js';
import { bundleChildHost, openChildHost } from './child-host.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { inside } from '../../src/host/inside.js';

// Fault F02: a server that exits right after each start.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const ATTEMPTS = 5;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
const CPU_SHARE = 0.02;

/** Lets time pass until the server has failed, and returns the length of each wait. */
async function waitsUntilFailed({ host }: Watched, clock: FakeClock, name: string): Promise<number[]> {
  const waits: number[] = [];
  let known = 0;
  for (;;) {
    const { status } = host[inside].server(name)!;
    if (status.kind === 'failed') return waits;
    if (status.kind === 'reconnecting' && status.attempt > known) {
      known = status.attempt;
      waits.push(status.retryAt - clock.monotonic());
      await clock.pass(status.retryAt - clock.monotonic());
    } else await turn();
  }
}

async function openWithClock(scene: Scene, jitter: number): Promise<{ watched: Watched; clock: FakeClock }> {
  const clock = new FakeClock();
  const watched = await scene.open({ watch: false, ports: { clock, random: () => jitter } });
  return { watched, clock };
}

test.each(FULL ? [0, 1] : [1])(
  'F02: a server that exits after every greeting is started five times more and no oftener (jitter %i)',
  async (jitter) => {
    const leftovers = watchLeftovers();
    await using scene = openScene();
    const env = { EXIT_AFTER_HANDSHAKE_MS: '50', JOURNAL: join(scene.home, 'failing.txt'), ...leftovers.env };
    writeFileSync(env.JOURNAL, '');
    scene.configure({ failing: scene.journaling(env), healthy: scene.journaling(leftovers.env) });
    const { watched, clock } = await openWithClock(scene, jitter);
    const { host } = watched;
    await host.settled();
    const history = new History(host, 'failing');
    const healthy = new History(host, 'healthy');
    while (host[inside].server('failing')?.status.kind !== 'reconnecting') await turn();
    // Made while the server is away and interrupted by each exit; all end when the server has failed.
    const calls = (['append', 'read', 'put'] as const).map((tool) => history.call(tool, { ms: 60_000 }));
    const waits = await waitsUntilFailed(watched, clock, 'failing');
    expect(waits).toEqual(WAITS_MS.map((ms) => ms * (1 - jitter / 4)));
    await Promise.all(calls);
    expect(await history.call('append')).toMatchObject({ outcome: 'error', attempts: 0 });
    expect(host.server('failing')).toMatchObject({ status: 'failed', error: { code: 'connection-closed' } });
    expect(scene.starts()).toHaveLength(1 + 1 + ATTEMPTS); // the healthy server's start included
    await clock.pass(600_000);
    expect(scene.starts()).toHaveLength(1 + 1 + ATTEMPTS);
    expect(await healthy.call('append')).toMatchObject({ outcome: 'ok', attempts: 1 });
    const verdict = history.judge(readJournal(env.JOURNAL));
    await scene[Symbol.asyncDispose]();
    const { processes, descriptors } = await leftovers.count();
    checkHistory('F02', verdict, { starts: 1 + ATTEMPTS, waits: waits.join('/'), processes, descriptors });
    expect([processes, descriptors]).toEqual([0, 0]);
  },
);

test.each(['legacy', 'modern'])(
  'F02: a %s server that does not come up any more is started five times more, and a person can start it when it is well',
  async (ERA) => {
    const leftovers = watchLeftovers();
    await using scene = openScene();
    const broken = join(scene.home, 'broken');
    scene.configure({ failing: scene.journaling({ BROKEN_BY: broken, ERA, ...leftovers.env }) });
    const { watched, clock } = await openWithClock(scene, 0);
    const { host } = watched;
    await host.settled();
    const history = new History(host, 'failing');
    writeFileSync(broken, '');
    process.kill(scene.starts()[0]!, 'SIGKILL');
    while (host[inside].server('failing')?.status.kind !== 'reconnecting') await turn();
    const waiting = history.call('append');
    const waits = await waitsUntilFailed(watched, clock, 'failing');
    expect(waits).toEqual(WAITS_MS);
    expect(await waiting).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'connection-closed' } });
    expect(host.server('failing')?.error?.message).toContain('exited with code 8');
    expect(scene.starts()).toHaveLength(1 + ATTEMPTS);

    rmSync(broken);
    expect(await host.reconnect('failing')).toMatchObject({ status: 'connected' });
    expect(await history.call('append')).toMatchObject({ outcome: 'ok', attempts: 1 });
    const verdict = history.judge(readJournal(scene.journal));
    await scene[Symbol.asyncDispose]();
    const { processes, descriptors } = await leftovers.count();
    checkHistory(`F02, ${ERA}, not coming up`, verdict, { starts: 1 + ATTEMPTS, processes, descriptors });
    expect([processes, descriptors]).toEqual([0, 0]);
  },
);

test.runIf(FULL)('F02: a host that waits for a failing server costs next to nothing', async () => {
  using program = await bundleChildHost();
  const leftovers = watchLeftovers();
  await using scene = openScene();
  scene.configure({ failing: scene.journaling({ EXIT_AFTER_HANDSHAKE_MS: '50', ...leftovers.env }) });
  await using host = await openChildHost(program, scene, { mark: leftovers.env });
  await host.until('failing', 'reconnecting', 4);
  const before = await host.ask('cpu');
  await host.until('failing', 'reconnecting', 5);
  const after = await host.ask('cpu');
  const share = (after.cpuMs - before.cpuMs) / (after.at - before.at);
  console.log(`F02: ${(share * 100).toFixed(2)} % of a processor over ${Math.round(after.at - before.at)} ms`);
  expect(share).toBeLessThan(CPU_SHARE);
  await host.until('failing', 'failed');
});
