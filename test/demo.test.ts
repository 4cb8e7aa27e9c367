import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-demo-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('npm start shows one server of each kind, calls each, and ends well', () => {
  const home = makeHome();
  const env = { PATH: process.env['PATH'], HOME: home };
  const run = spawnSync(process.execPath, [join(root, 'scripts/start.mjs')], { cwd: home, env, encoding: 'utf8' });
  expect([run.status, run.stderr]).toEqual([0, '']);
  const steady = run.stdout.replaceAll(/\b\d+( ms|$)/gmu, 'N$1').replaceAll(/\d{4}-\d\d-\d\dT\S+Z/gu, 'NOW');
  expect(steady).toBe(`server   transport   status       tools  protocol    ms
notes    stdio       ✔ connected  3      2025-11-25  N
weather  http        ✔ connected  2      2025-11-25  N
clock    in-process  ✔ connected  2      2025-11-25  N

One call on each transport:
  notes.list_notes {} -> bread, coffee (ok, N ms)
  weather.forecast {"city":"Lisbon"} -> Lisbon: rain (ok, N ms)
  clock.now {} -> NOW (ok, N ms)
`);
  // The demo leaves nothing behind in the user's home.
  expect(readdirSync(home)).toEqual([]);
});

test('whoever ends npm start as soon as it has begun finds nothing of it left', async () => {
  const home = makeHome();
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], { cwd: home, env, stdio: 'ignore' });
  const ended = once(child, 'close');
  while (readdirSync(home).length === 0 && child.exitCode === null) await nextTurn();
  child.kill('SIGTERM');
  await ended;
  expect(readdirSync(home)).toEqual([]);
});

test('whoever has read enough of npm start ends it without a stack trace', async () => {
  const home = makeHome();
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const said = text(child.stderr);
  child.stdout.destroy();
  expect([await ended, await said]).toEqual([[1, null], '']);
  expect(readdirSync(home)).toEqual([]);
});

test('npm start is that script', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['start']).toBe('node scripts/ready.mjs build && node scripts/start.mjs');
});

test('whoever lists the demo by hand learns what each server needs', () => {
  const env = { PATH: process.env['PATH'], HOME: makeHome() };
  const args = [join(root, 'dist/plugboard.js'), 'list', '--cwd', join(root, 'demo')];
  const run = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  expect(run.status).toBe(0);
  expect(run.stdout.split('\n').slice(1)).toEqual([
    '⏸ notes    to approve  stdio       project  –             –        –          –   –  plugboard approve notes',
    '⏸ weather  to approve  http        project  –             –        –          –   –  plugboard approve weather',
    '✘ clock    invalid     in-process  project  –             –        –          –   –  plugboard doctor clock',
    '',
  ]);
});
