import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoSteps } from '../../src/cli/demo/demo-steps.js';
import { installPacked } from './packed-program.js';
import { copyProgram } from './sandbox.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-demo-verb-')));
  // The full version plays the demo of the packed and installed package.
  program = FULL ? installPacked(root) : await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A home that is also the folder for temporary files, so that anything left behind is seen. */
function makeHome(): string {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(home, 'tmp'));
  return home;
}

const envOf = (home: string): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  HOME: home,
  TMPDIR: join(home, 'tmp'),
});
const left = (home: string): readonly string[] => readdirSync(home, { recursive: true, encoding: 'utf8' });

function play(home: string, ...args: string[]): SpawnSyncReturns<string> {
  const command = [program, 'demo', ...args];
  return spawnSync(process.execPath, command, { cwd: home, env: envOf(home), encoding: 'utf8' });
}

test('without a terminal the demo plays all steps, answers its questions, and leaves nothing behind', () => {
  const home = makeHome();
  const { stdout, stderr, status } = play(home);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('the model is a script, its answers are written in advance');
  for (const { say, before, done } of demoSteps) for (const text of [say, before, done]) expect(stdout).toContain(text);
  const rows = [
    '<- bread\n   <- coffee',
    '? May the model call notes.add_note {"text":"milk"}?\n     The demo answers: yes, this time',
    '? clock asks: When do you want to do this: shopping?\n     The demo answers: {"day":"today","minutes":30}',
    'all 133094 bytes are saved to a file',
    '! notes is reconnecting: Server "notes" exited with code 1',
    '<- ok, sent 2 times\n   <- 3 words in 3 notes',
  ];
  for (const row of rows) expect(stdout).toContain(row);
  expect(left(home)).toEqual(['tmp']);
});

test('with --json the demo is one envelope', () => {
  const home = makeHome();
  const { stdout, stderr, status } = play(home, '--json');
  expect([status, stderr]).toEqual([0, '']);
  const { ok, data } = JSON.parse(stdout) as { ok: boolean; data: Record<string, readonly Record<string, unknown>[]> };
  expect([ok, data['model']]).toEqual([true, { name: 'a script, no model', isScripted: true }]);
  expect(data['servers']?.map(({ name, transport, status: word }) => [name, transport, word])).toEqual([
    ['notes', 'stdio', 'connected'],
    ['weather', 'http', 'connected'],
    ['clock', 'in-process', 'connected'],
  ]);
  const steps = data['steps']?.map(({ name, calls }) => {
    const [call] = calls as readonly { name: string; outcome: string; attempts: number }[];
    return [name, call?.name, call?.outcome, call?.attempts];
  });
  expect(steps).toEqual(
    demoSteps.map(({ name, call }, at) => [name, call.name, 'ok', at === demoSteps.length - 1 ? 2 : 1]),
  );
  expect(left(home)).toEqual(['tmp']);
});

test('a real model needs its key, and the user is told how the demo goes without', () => {
  const home = makeHome();
  const { stderr, stdout, status } = play(home, '--model', 'claude-x');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: No model is configured[^\n]*\n {2}→ Set ANTHROPIC_API_KEY/u);
  expect(stderr).toContain('Without --model the demo needs no key: plugboard demo');
  expect(play(home, 'nonsense').status).toBe(2);
  expect(play(home, '--mcp-server', 'x={}').stderr).toContain('the demo has only its own servers');
  expect(left(home)).toEqual(['tmp']);
});

test.each(['SIGINT', 'SIGTERM'] as const)('a demo that %s ends leaves nothing behind', async (signal) => {
  const home = makeHome();
  const child = spawn(process.execPath, [program, 'demo'], { cwd: home, env: envOf(home), stdio: 'ignore' });
  const ended = once(child, 'close');
  while (left(home).length === 1 && child.exitCode === null) await nextTurn();
  child.kill(signal);
  expect((await ended)[0]).toBe(130);
  expect(left(home)).toEqual(['tmp']);
});
