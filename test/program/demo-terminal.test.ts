import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { demoSteps } from '../../src/cli/demo/demo-steps.js';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { openModel, type Seat, useSeats } from './session-terminal-scene.js';
import { say } from './prompt-scene.js';
import { again } from './tmux.js';

const open = useSeats();
const START = resolve(import.meta.dirname, '../../scripts/start.mjs');

/** Sends the suggested message, and waits for what the model says. */
async function send(seat: Seat, at: number, text: string): Promise<void> {
  await seat.untilSo((screen) => screen.trimEnd().endsWith(`> ${demoSteps[at]!.say}`));
  const press = again(() => seat.type('Enter'));
  await seat.untilSo((screen) => screen.includes(text.slice(0, 60)) || press() === true);
}

test('a user sees all of the demo with Enter, and it touches nothing of theirs', async (context) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { own: { command: 'false' } } } });
  sandbox.write('tmp/.keep', '');
  const before = sandbox.files();
  const seat = open(context, { sandbox, script: '$PLUGBOARD demo', env: { TMPDIR: join(sandbox.root, 'tmp') } });
  await seat.until('the model is a script');
  await send(seat, 0, demoSteps[0]!.done);
  await send(seat, 1, demoSteps[1]!.before);
  await seat.answer('y');
  await seat.until(demoSteps[1]!.done.slice(0, 40));
  await send(seat, 2, 'When do you want to do this: shopping?');
  seat.type('Escape');
  await seat.until(demoSteps[2]!.failed.slice(0, 40));
  await send(seat, 3, demoSteps[3]!.done);
  await send(seat, 4, demoSteps[4]!.done);
  const screen = await seat.until('That was all.');
  for (const text of ['bread', '3 notes', '3 words in 3 notes']) expect(screen).toContain(text);
  await seat.enter('Who are you?');
  await seat.until('I am a script, not a model');
  await seat.enter('/exit');
  await seat.until('[ended 0]');
  const mine = (files: typeof before): readonly string[] =>
    Object.keys(files).filter((file) => !/\/(?:written|browser|ready|tmux)$/u.test(file));
  expect(mine(sandbox.files())).toEqual(mine(before));
  expect(readdirSync(join(sandbox.root, 'tmp'))).toEqual(['.keep']);
});

test('npm start on a terminal is the demo, and Ctrl-C leaves nothing of it', async (context) => {
  const sandbox = makeSandbox({ 'tmp/.keep': '' });
  const script = `${process.execPath} ${START}`;
  const seat = open(context, { sandbox, script, env: { TMPDIR: join(sandbox.root, 'tmp') } });
  await send(seat, 0, demoSteps[0]!.done);
  // The first removes the suggestion, two more leave.
  const press = again(() => seat.type('C-c', 'C-c', 'C-c'));
  await seat.untilSo((screen) => screen.includes('[ended') || press() === true);
  expect(readdirSync(join(sandbox.root, 'tmp'))).toEqual(['.keep']);
});

test('with --model a real model is asked, and nothing is suggested', async (context) => {
  const { api, env } = await openModel([say('Greetings from the API')]);
  const sandbox = makeSandbox();
  const seat = open(context, { sandbox, script: '$PLUGBOARD demo --model claude-x', env });
  const first = await seat.until('This is the demo, with the model claude-x.');
  expect(first).not.toContain(demoSteps[0]!.say);
  await seat.enter('Hello');
  await seat.until('Greetings from the API');
  expect(JSON.stringify(api.requests[0])).toContain('mcp__clock__find_time');
  await seat.enter('/exit');
  await seat.until('[ended 0]');
});

test('a terminal that cannot be redrawn says what to try', async (context) => {
  const seat = open(context, { sandbox: makeSandbox(), script: 'TERM=dumb $PLUGBOARD demo' });
  await seat.until(`Try: ${demoSteps[0]!.say}`);
  seat.line('1');
  await seat.until(demoSteps[0]!.done.slice(0, 40));
  await seat.until(`Try: ${demoSteps[1]!.say}`);
  seat.line('/exit');
  expect(await seat.until('[ended 0]')).not.toContain('Not sent');
});
