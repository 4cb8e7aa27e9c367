import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { systemClock } from '../clock.js';
import { CommandRunner } from './command-runner.js';
import { openWorkshop, type Workshop } from './process-fixtures.js';
import type { CommandEnd, CommandOptions } from './running-command.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

let workshop: Workshop;
let runner: CommandRunner;
beforeEach(() => {
  workshop = openWorkshop();
  runner = new CommandRunner({ clock: systemClock, registry: workshop.registry });
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  await workshop.registry[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

function run(command: string, options: Partial<CommandOptions> = {}): Promise<CommandEnd> {
  const { folder: cwd, env } = workshop;
  return runner.run({ command, cwd, env, input: '', timeoutMs: 20_000, ...options });
}

const none = (): void => expect(workshop.survivors()).toEqual([]);

test('a command reads its input, is read on both streams, and its code is told', async () => {
  const end = await run('cat; echo ü >&2; exit 3', { input: 'x'.repeat(300_000) });
  expect(end).toEqual({ kind: 'exited', code: 3, stdout: 'x'.repeat(300_000), stderr: 'ü\n' });
});

test('input that nobody reads is no mistake', async () => {
  const end = await run('exec 0<&-; echo done', { input: 'x'.repeat(5_000_000) });
  expect(end).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' });
});

test('what was written while the event loop stood still is read, however late its timers are', async () => {
  const clock = new FakeClock();
  runner = new CommandRunner({ clock, registry: workshop.registry });
  const [go, wrote] = ['go', 'wrote'].map((name) => join(workshop.folder, name));
  const ended = run(`(until [ -e go ]; do sleep 0.01; done; head -c 50000 /dev/zero | tr '\\0' x; touch wrote) &`);
  // One for the command's timeout, and one since it has exited.
  await vi.waitFor(() => expect(clock.timers).toBe(2), DIAGNOSED);
  writeFileSync(go!, '');
  while (!existsSync(wrote!)); // blocks the event loop, so that nothing is read meanwhile
  await clock.pass(50);
  await clock.pass(50);
  expect(await ended).toMatchObject({ kind: 'exited', stdout: 'x'.repeat(50_000) });
});

test('of stderr only the beginning is kept', async () => {
  const end = await run('head -c 3000000 /dev/zero >&2');
  expect(end).toMatchObject({ kind: 'exited', code: 0 });
  expect('stderr' in end && end.stderr.length).toBe(65_536);
});

test('a command that prints without end is ended', async () => {
  expect(await run('yes')).toEqual({ kind: 'too-much', bytes: 1_048_576 });
  await vi.waitFor(none, DIAGNOSED);
});

/** Ignores every signal it can, and starts two children that do so too, one of them in a session of its own. */
const STUBBORN = `trap '' INT TERM HUP; (trap '' INT TERM; sleep 60) & setsid sleep 60 & touch started; sleep 60`;

test('what takes too long is ended with everything that it started', async () => {
  const clock = new FakeClock();
  runner = new CommandRunner({ clock, registry: workshop.registry });
  const ended = run(STUBBORN);
  await vi.waitFor(() => expect(existsSync(join(workshop.folder, 'started'))).toBe(true), DIAGNOSED);
  await clock.pass(20_000);
  expect(await ended).toEqual({ kind: 'timed-out' });
  await vi.waitFor(none, DIAGNOSED);
});

test('so is what nobody waits for any more', async () => {
  const stop = new AbortController();
  const ended = run(STUBBORN, { signal: stop.signal });
  await vi.waitFor(() => expect(existsSync(join(workshop.folder, 'started'))).toBe(true), DIAGNOSED);
  stop.abort();
  expect(await ended).toEqual({ kind: 'cancelled' });
  await vi.waitFor(none, DIAGNOSED);
  expect(await run('touch never', { signal: stop.signal })).toEqual({ kind: 'cancelled' });
  expect(existsSync(join(workshop.folder, 'never'))).toBe(false);
});

test('so is all that runs or waits when it is closed', async () => {
  const narrow = new CommandRunner({ clock: systemClock, registry: workshop.registry, atOnce: 1 });
  const { folder: cwd, env } = workshop;
  const options = { cwd, env, input: '', timeoutMs: 20_000 };
  const ended = [narrow.run({ ...options, command: STUBBORN }), narrow.run({ ...options, command: 'touch never' })];
  await vi.waitFor(() => expect(existsSync(join(cwd, 'started'))).toBe(true), DIAGNOSED);
  await narrow[Symbol.asyncDispose]();
  expect(await Promise.all(ended)).toEqual([{ kind: 'cancelled' }, { kind: 'cancelled' }]);
  await vi.waitFor(none, DIAGNOSED);
  expect(existsSync(join(cwd, 'never'))).toBe(false);
});

test('what is left in the background is not waited for, and has the rest of the time', async () => {
  const clock = new FakeClock();
  runner = new CommandRunner({ clock, registry: workshop.registry });
  let end: CommandEnd | undefined;
  const ended = run('sleep 60 & echo done').then((now) => (end = now));
  await vi.waitFor(async () => {
    await clock.pass(50);
    expect(end).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' });
  }, DIAGNOSED);
  await ended;
  expect(workshop.survivors()).toHaveLength(1);
  await clock.pass(20_000);
  await vi.waitFor(none, DIAGNOSED);
});

test('what is left in the background ends with the runner', async () => {
  await run('setsid sleep 60 >/dev/null 2>&1 & echo done');
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(1), DIAGNOSED);
  await runner[Symbol.asyncDispose]();
  await vi.waitFor(none, DIAGNOSED);
});

test('only so many run at the same time, and each has its turn', async () => {
  const narrow = new CommandRunner({ clock: systemClock, registry: workshop.registry, atOnce: 2 });
  const { folder: cwd, env } = workshop;
  writeFileSync(join(cwd, 'log'), '');
  // The first command ends only after a second one has started.
  const command = 'echo + >> log; until [ "$(grep -c + log)" -gt 1 ]; do sleep 0.01; done; sleep 0.02; echo - >> log';
  const all = Array.from({ length: 8 }, () => narrow.run({ command, cwd, env, input: '', timeoutMs: 20_000 }));
  const codes = (await Promise.all(all)).map((end) => end.kind === 'exited' && end.code);
  let running = 0;
  let most = 0;
  for (const sign of readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n')) {
    running += sign === '+' ? 1 : -1;
    most = Math.max(most, running);
  }
  expect([new Set(codes), most]).toEqual([new Set([0]), 2]);
  await narrow[Symbol.asyncDispose]();
});

test.each<[string, Partial<CommandOptions>]>([
  ['true\0', {}],
  ['true', { cwd: '/nowhere/at/all' }],
  ['true', { env: { A: 'x'.repeat(300_000) } }],
])('%j with %# cannot be started, and that is told', async (command, options) => {
  expect(await run(command, options)).toMatchObject({ kind: 'not-started', error: { message: expect.any(String) } });
});
