// F17 and F21: stored sign-ins, on a full disk and with several writers.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { begun, keeping, openAuthScene, openUnknown, signInByTool, textOf } from '../auth/auth-scene.js';
import { browse } from '../auth/browser.js';
import { openProtectedServer } from '../auth/protected-server.js';
import { openStrictServer } from '../auth/strict-as.js';
import { openSignedIn, openStrictScene } from './auth-scene.js';
import { SkippingClock } from './skipping-clock.js';

const SERVERS = 6;

test(`F17: two hosts sign in to ${SERVERS} servers at the same time, and none of it is lost`, async () => {
  const authority = await keeping(openStrictServer());
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => keeping(openProtectedServer({ authority }))));
  const scene = openAuthScene();
  scene.configure(Object.fromEntries(servers.map(({ url }, at) => [`s${at}`, { type: 'http', url }])));
  const hosts = await Promise.all([scene.open({ watch: false }), scene.open({ watch: false })]);
  await Promise.all(hosts.map(({ host }) => host.settled()));
  await Promise.all(
    servers.map(async (_, at) => {
      const signIn = begun(await hosts[at % 2]!.host.signIn(`s${at}`), 'browser');
      await browse(signIn.url);
      expect(await signIn.done).toEqual({ kind: 'signed-in' });
    }),
  );
  await Promise.all(hosts.map(({ host }) => host[Symbol.asyncDispose]()));
  const { host } = await scene.open({ watch: false });
  await host.settled();
  expect(host.servers().map(({ status }) => status)).toEqual(servers.map(() => 'connected'));
  expect(authority.tally.tokens).toEqual({ authorization_code: SERVERS });
});

/** Makes the state folder a tmpfs of 256 KB; skips the test where mounting is not allowed. */
function smallState(home: string, context: TestContext): string {
  const disk = join(home, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}

function fill(disk: string): void {
  for (let size = 65_536; size >= 4_096; size /= 2) {
    try {
      for (let at = 0; ; at++) writeFileSync(join(disk, `filler-${size}-${at}`), 'x'.repeat(size), { flag: 'wx' });
    } catch {
      // The disk has no room for a file of this size: try the next smaller one.
    }
  }
}

test('F21: new tokens that cannot be saved are used all the same, the user is told, and the old file is whole', async (context) => {
  const strict = await openStrictScene();
  const { scene, authority, mcp, keptIn } = strict;
  const disk = smallState(scene.home, context);
  scene.env['XDG_STATE_HOME'] = disk;
  const clock = new SkippingClock();
  const { host } = await openSignedIn(strict, { ports: { clock } });
  const problems: string[] = [];
  host.on('problem', ({ message }) => problems.push(message));
  const [first] = mcp.admitted.keys();
  const kept = keptIn(first!);
  expect(kept).toHaveLength(1);
  fill(disk);
  for (let round = 0; round < 3; round++) {
    authority.expire();
    clock.skip(60_000);
    const result = await host.call({ name: 'mcp__srv__read' });
    expect([result.outcome, textOf(result)]).toEqual(['ok', 'somebody: read']);
  }
  expect(authority.tally.tokens).toEqual({ authorization_code: 1, refresh_token: 3 });
  expect(authority.reuses).toBe(0);
  const told = problems.filter((message) => /sign-in|token|credential/iu.test(message));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/full|ENOSPC|space/u);
  expect(keptIn(first!)).toEqual(kept);

  rmSync(join(disk, 'filler-65536-0'));
  authority.expire();
  clock.skip(60_000);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  await host[Symbol.asyncDispose]();
  const later = await scene.open({ watch: false });
  await later.host.settled();
  expect(later.host.server('srv')).toMatchObject({ status: 'connected' });
  expect(authority.reuses).toBe(0);
});

test('F21: a sign-in on a full disk works for this run, and says that it will be forgotten', async (context) => {
  const strict = await openStrictScene();
  const { scene } = strict;
  const disk = smallState(scene.home, context);
  scene.env['XDG_STATE_HOME'] = disk;
  const { host, until } = await openUnknown(scene);
  fill(disk);
  const signIn = begun(await host.signIn('srv'), 'browser');
  await browse(signIn.url);
  expect(await signIn.done).toMatchObject({ kind: 'signed-in', warning: expect.stringMatching(/full|ENOSPC|space/u) });
  await until(({ name, after }) => name === 'srv' && after === 'connected');
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  await host[Symbol.asyncDispose]();
  rmSync(join(disk, 'filler-65536-0'));
  const later = await openUnknown(scene);
  await signInByTool(later);
  expect(later.host.server('srv')).toMatchObject({ status: 'connected' });
});
