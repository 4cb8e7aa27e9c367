import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { sha256Hex } from '../../src/model/text/sha256.js';
import { embed } from './embedded.js';
import { ASKING, openWalk, person, SESSION, textOf, type WalkScene } from './walk-scene.js';

// What a host stores about calls, on a full disk or with two hosts writing: faults F18, F22 and F23.

test('F18: two hosts remember what they were allowed at the same time, and nothing of it is lost', async () => {
  await using scene = openWalk();
  const tools = Array.from({ length: 15 }, (_, at) => `t${at}`);
  scene.configure({});
  const { ask } = person({ kind: 'allow', remember: 'always' });
  const hosts = await Promise.all(
    ['one', 'two'].map((name) => scene.settle({ ...embed([[name, tools]]).options, permissions: {}, ports: { ask } })),
  );
  const calls = hosts.flatMap((host) => host.tools().map(({ name }) => host.call({ name })));
  for (const result of await Promise.all(calls)) expect(result).toMatchObject({ outcome: 'ok', notes: [] });
  const names = hosts.flatMap((host) => host.tools().map(({ name }) => name));
  await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
  const file = join(scene.home, '.config/plugboard/projects', `${sha256Hex(scene.project).slice(0, 32)}.json`);
  const { settings } = JSON.parse(readFileSync(file, 'utf8')) as { settings: { permissions: { allow: string[] } } };
  expect(settings.permissions.allow.toSorted()).toEqual(names.toSorted());
  const { grants } = JSON.parse(readFileSync(join(scene.home, '.local/state/plugboard/grants.json'), 'utf8')) as {
    grants: object;
  };
  expect(Object.keys(grants)).toHaveLength(names.length);
});

/** Makes the state folder a small tmpfs; skips the test where mounting is not allowed. */
function smallState(
  scene: WalkScene,
  context: TestContext,
  size: string,
): { readonly disk: string; readonly env: Record<string, string> } {
  const disk = join(scene.home, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return { disk, env: { ...scene.env, XDG_STATE_HOME: disk } };
}

test('F22: a large result that cannot be saved is cut, with advice', async (context) => {
  const scene = openWalk();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const { disk, env } = smallState(scene, context, '128k');
  scene.configure({ desk: scene.walking(['large', 'huge', 'append', 'picture']) });
  const host = await scene.settle({ env });
  const result = await host.call({ name: 'mcp__desk__large' });
  expect(result).toMatchObject({ outcome: 'ok', saved: [] });
  const told = textOf(result);
  expect(told).toContain('line 0 of a long report');
  expect(told.length).toBeGreaterThan(20_000);
  expect(told.length).toBeLessThan(150_000);
  expect(`${told}\n${result.notes.join('\n')}`).toMatch(/disk is full|ENOSPC/u);
  expect(told).toMatch(/smaller|narrow|page|part/iu);
  const picture = await host.call({ name: 'mcp__desk__picture' });
  expect(picture.content).toContainEqual(expect.objectContaining({ type: 'image' }));
  const huge = await host.call({ name: 'mcp__desk__huge' });
  expect(`${textOf(huge)}\n${huge.notes.join('\n')}`).toMatch(/disk is full|ENOSPC/u);
  expect(await host.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok' });
  await host[Symbol.asyncDispose]();
  const files = readdirSync(disk, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  // plugboard/folders has the servers' working folders, not results.
  const left = files.filter(({ parentPath }) => !parentPath.startsWith(join(disk, 'plugboard/folders')));
  // The picture fits on the disk; no half-written text stays there.
  expect(left.map(({ name }) => name).filter((name) => /\.(?:txt|json|bin|tmp)$/u.test(name))).toEqual([]);
});

test('F23: a ledger and logs that cannot be written are told of once, and calls go on', async (context) => {
  const scene = openWalk();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const { disk, env } = smallState(scene, context, '64k');
  scene.configure({ desk: scene.walking(['append', 'complain']) });
  const { ask } = person(SESSION);
  const { host } = await scene.open({ env, watch: false, permissions: ASKING, ports: { ask } });
  const problems: string[] = [];
  host.on('problem', ({ message }) => problems.push(message));
  await host.settled();
  fill(disk);
  for (let round = 0; round < 30; round++) {
    expect(await host.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok' });
    expect(await host.call({ name: 'mcp__desk__complain' })).toMatchObject({ outcome: 'ok' });
    await new Promise((done) => setTimeout(done, 10));
  }
  const about = (word: RegExp): string[] => problems.filter((message) => word.test(message));
  expect(about(/ledger/u)).toHaveLength(1);
  expect(about(/remembered/u).length).toBeLessThanOrEqual(1);
  expect(problems.length).toBeLessThanOrEqual(3);
  expect(problems.join('\n')).toMatch(/full|ENOSPC/u);
  await host[Symbol.asyncDispose]();
});

function fill(disk: string): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (let at = 0; ; at++) writeFileSync(join(disk, `filler-${size}-${at}`), 'x'.repeat(size), { flag: 'wx' });
    } catch {
      // The disk has no room for a file of this size: try the next smaller one.
    }
    if (size < 4_096) break; // a tmpfs allocates whole pages
  }
}
