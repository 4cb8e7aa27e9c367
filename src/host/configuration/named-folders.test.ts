import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { namesFolders } from './named-folders.js';

test.each([
  [['npx', '-y', 'server-filesystem', tmpdir()], true],
  [['npx', '-y', 'server-filesystem', '.'], true],
  [['server-filesystem', '--', tmpdir()], true],
  [['uv', '--directory', tmpdir(), 'run', 'server'], false],
  [['node', 'server.js'], false],
  [['node', '-e', '.'], false],
  [[tmpdir()], false],
  [['server', '/no/such/folder'], false],
  [['server', 'a\0b'], false],
])('%j names a folder: %s', ([command, ...args], expected) => {
  expect(namesFolders({ type: 'stdio', command: command!, args, env: {} }, tmpdir())).toBe(expected);
});

test('a server behind a URL has no command line', () => {
  expect(namesFolders({ type: 'http', url: 'https://mcp.example/', headers: {} }, tmpdir())).toBe(false);
});
