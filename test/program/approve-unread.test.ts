import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

const BROKEN = '{ "mcpServers": { "db": ';
const NOTE = /^error: PROJECT\/\.mcp\.json(?::\d+:\d+)?: /mu;

test('a project file that cannot be read is told by approve, which ends with 1', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: BROKEN });
  for (const args of [['approve'], ['approve', '--all'], ['approve', '--json']]) {
    const { code, stderr, stdout } = await sandbox.run(args);
    expect([args, code, NOTE.test(stderr) || stdout.includes('.mcp.json')]).toEqual([args, 1, true]);
  }
});

test.each([
  ['get', 'a'],
  ['approve', 'a'],
  ['call', 'a.x'],
  ['tools', 'a'],
])('%s %s names the file that could not be read, where the server may be', async (...args) => {
  for (const own of [{}, { other: { command: 'node' } }]) {
    const sandbox = makeSandbox({ [PROJECT_FILE]: BROKEN, [USER_FILE]: { mcpServers: own } });
    const { code, stderr } = await sandbox.run([...args, '--trust-folder']);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'Fix PROJECT/.mcp.json, which is unreadable and may define the server (plugboard doctor).',
    );
  }
});

test('a broken file of the user’s is no reason for approve to fail', async () => {
  const { code, stdout } = await makeSandbox({ [USER_FILE]: BROKEN }).run(['approve']);
  expect([code, stdout]).toEqual([0, 'No server of this project waits for approval\n']);
});

test('approve --lock and --diff tell which servers they passed over', async () => {
  const sandbox = makeSandbox({ 'offer.json': { tools: [] } });
  const args = [resolve(import.meta.dirname, 'pinned-server.mjs'), resolve(sandbox.root, 'offer.json')];
  const entry = { command: 'node', args };
  sandbox.write(PROJECT_FILE, { mcpServers: { db: entry, web: { ...entry, env: { A: 'b' } }, no: { command: 'x' } } });
  await sandbox.run(['approve', 'web']);
  await sandbox.run(['approve', 'no', '--reject']);
  const locked = await sandbox.run(['approve', '--lock']);
  expect([locked.code, locked.stderr]).toEqual([0, 'Not pinned: db is not approved. Run: plugboard approve db\n']);
  const { json } = await sandbox.run(['approve', '--lock', '--json']);
  expect(json?.data?.['skipped']).toEqual(['db']);
  const compared = await sandbox.run(['approve', '--diff']);
  expect([compared.code, compared.stderr]).toEqual([
    0,
    'Not compared: db is not approved. Run: plugboard approve db\n',
  ]);
  expect((await sandbox.run(['approve', '--lock', 'web', '--json'])).json?.data?.['skipped']).toEqual([]);
});
