import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { localFileOf, makeSandbox, serversIn, USER_FILE } from './sandbox.js';

const command = [process.execPath, resolve('demo/servers/notes.mjs')];
const entry = { type: 'stdio', command: command[0], args: command.slice(1) };

test('a server of the command line is kept under its name once the command has worked', async () => {
  const sandbox = makeSandbox();
  const { code, stdout, stderr } = await sandbox.run([
    'call',
    'add_note',
    'text=hi',
    '--persist',
    'mine',
    '--',
    ...command,
  ]);
  expect([code, stdout]).toEqual([0, '3 notes\n']);
  expect(stderr).toContain('Kept as "mine" in local config: LOCAL\n');
  expect(serversIn(localFileOf(sandbox))).toEqual({ mine: entry });
  expect((await sandbox.run(['call', 'mine.list_notes'])).code).toBe(0);
});

test('without a name it gets the one that it was called by; the scope can be chosen', async () => {
  const sandbox = makeSandbox();
  const args = ['tools', '-e', 'MODE=a', '--json', '-s', 'user', '--persist', '--', ...command];
  const { json } = await sandbox.run(args);
  expect(json?.data).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ tool: 'add_note' })]) as unknown,
    persisted: { server: 'notes', scope: 'user', file: 'HOME/.config/plugboard/config.json' },
  });
  expect(serversIn(`${sandbox.root}/${USER_FILE}`)).toEqual({ notes: { ...entry, env: { MODE: 'a' } } });
});

test('what is kept for the project waits for approval, as with add', async () => {
  const { stderr } = await makeSandbox().run(['tools', '-s', 'project', '--persist', 'ours', '--', ...command]);
  expect(stderr).toContain('The server runs once you approve it: plugboard approve ours');
});

test.each<[about: string, args: readonly string[], code: number, message: string]>([
  [
    'a name that exists',
    ['tools', '--persist', 'taken', '--', ...command],
    1,
    'MCP server taken already exists in user config',
  ],
  ['a name that is none', ['tools', '--persist', 'a b', '--', ...command], 2, 'Invalid name a b.'],
  [
    'a configured server',
    ['tools', 'taken', '--persist', 'x'],
    2,
    '--persist keeps a server that is given as a URL or as a command after --',
  ],
  [
    'a scope that is none',
    ['tools', '--persist', 'x', '-s', 'nowhere', '--', ...command],
    2,
    'must be one of: local, project, user',
  ],
])('%s is refused before anything is started', async (_, args, code, message) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { taken: { command: 'x' } } } });
  const before = sandbox.files();
  const run = await sandbox.run(args);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', expect.stringContaining(message)]);
  expect(sandbox.files()).toEqual(before);
});

test('a server is not kept when the command failed', async () => {
  const sandbox = makeSandbox();
  const failed = await sandbox.run(['tools', '--persist', 'x', '--', process.execPath, '-e', 'process.exit(1)']);
  expect(failed.code).not.toBe(0);
  const wrong = await sandbox.run(['call', 'nothing', '--persist', 'y', '--', ...command]);
  expect(wrong.code).not.toBe(0);
  expect(localFileOf(sandbox)).toBeUndefined();
});

test('a policy holds for what is kept', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { settings: { deniedMcpServers: [{ serverName: 'x' }] } } });
  const { code } = await sandbox.run(['tools', '--persist', 'x', '--', ...command]);
  expect(code).toBe(5);
  expect(readFileSync(`${sandbox.root}/${USER_FILE}`, 'utf8')).not.toContain('mcpServers');
});
