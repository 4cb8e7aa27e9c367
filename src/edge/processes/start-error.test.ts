import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkshop, type Workshop } from './process-fixtures.js';
import type { StartProcessOptions } from './process-tree.js';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

/** `FOLDER` in `expected` stands for the folder of this test. */
async function check(options: Partial<StartProcessOptions>, expected: { reason: string; hint: string }): Promise<void> {
  const fill = (text: string): string => text.replaceAll('FOLDER', workshop.folder);
  const failure: unknown = await workshop.start(options).then(
    () => 'it was started',
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 'start-failed',
    message: `Server "db" could not be started: ${fill(expected.reason)}`,
    hint: fill(expected.hint),
  });
  expect(process.listenerCount('exit')).toBe(listenersBefore);
}
const listenersBefore = process.listenerCount('exit');

test('a command that is not there is named', () =>
  check(
    { command: '/nowhere/server' },
    { reason: '/nowhere/server does not exist (ENOENT)', hint: 'Install it, or correct command of "db"' },
  ));

test('a working directory that is not there is told apart from a missing command', () =>
  check(
    { cwd: join(workshop.folder, 'my project') },
    {
      reason: 'its working directory FOLDER/my project does not exist (ENOENT)',
      hint: `Make it: mkdir -p 'FOLDER/my project', or correct cwd of "db"`,
    },
  ));

test('a working directory that is a file is named', async () => {
  const cwd = workshop.script('', 'file');
  await check(
    { cwd },
    { reason: 'its working directory FOLDER/file is a file (ENOTDIR)', hint: 'Correct cwd of "db"' },
  );
});

test('a command that is a directory is named', async () => {
  const command = join(workshop.folder, 'bin');
  mkdirSync(command);
  await check({ command }, { reason: 'FOLDER/bin is a directory (EACCES)', hint: 'Correct command of "db"' });
});

test('a command below a file is named', async () => {
  const command = join(workshop.script('', 'file'), 'server');
  await check(
    { command },
    { reason: 'FOLDER/file/server does not exist (ENOTDIR)', hint: 'Install it, or correct command of "db"' },
  );
});

test('a command that is not executable is named, with the remedy', async () => {
  const command = workshop.script('#!/bin/sh\n', 'server.sh');
  chmodSync(command, 0o644);
  await check(
    { command },
    { reason: 'FOLDER/server.sh is not executable (EACCES)', hint: 'Allow it: chmod +x FOLDER/server.sh' },
  );
});

test('a script whose interpreter is missing is told apart from a missing script', async () => {
  const command = workshop.script('#!/nowhere/python\n', 'server.py');
  await check(
    { command },
    {
      reason: 'FOLDER/server.py cannot be run: the interpreter in its first line is missing or not allowed (ENOENT)',
      hint: 'Install /nowhere/python, or name another in its first line: head -1 FOLDER/server.py',
    },
  );
});

test('a script with the line ends of Windows is told how to lose them', async () => {
  const command = workshop.script('#!/bin/sh\r\necho\r\n', 'server.sh');
  await check(
    { command },
    {
      reason: 'FOLDER/server.sh cannot be run: the interpreter in its first line is missing or not allowed (ENOENT)',
      hint: "The file has Windows line ends. Remove them: sed -i 's/\\r$//' FOLDER/server.sh",
    },
  );
});

test('arguments that the system does not take are counted', async () => {
  await check(
    { command: '/bin/true', args: ['x'.repeat(4_000_000)], env: { A: 'b' } },
    {
      reason: 'its arguments and environment have 4000015 bytes, more than the system allows (E2BIG)',
      hint: 'Pass less in args and env of "db", for example the path of a file',
    },
  );
});

test('a NUL in an argument is refused like any other failure', () =>
  check(
    { args: ['a\0b'] },
    {
      reason: `the system refused ${process.execPath} (ERR_INVALID_ARG_VALUE)`,
      hint: 'Look at command, args and cwd of "db"',
    },
  ));

test('a script without a first line that names an interpreter still runs', async () => {
  const command = join(workshop.folder, 'plain');
  writeFileSync(command, 'exit 4\n', { mode: 0o700 });
  const server = await workshop.start({ command });
  expect(await server.exited).toEqual({ code: 4, signal: null });
  await server[Symbol.asyncDispose]();
});
