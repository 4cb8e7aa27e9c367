import { expect, test } from 'vitest';
import { toForeignServer } from '../../config/edit/foreign-server.js';
import { duplicateRemark, type OfferedFile, type OfferedServer } from './offered-files.js';

function server(name: string, entry: object): OfferedServer {
  const { target, isCommand, identity } = toForeignServer(entry);
  return { name, target, isCommand, identity, isThere: false, remark: undefined };
}

function file(title: string, servers: readonly OfferedServer[]): OfferedFile {
  return { host: title, title, file: `/${title}`, isShared: false, rest: 0, servers };
}

const run = { command: 'npx', args: ['-y', 'notes'] };
const page = { url: 'https://mcp.example.com/' };
const before = [
  file('Claude Code', [
    server('notes', { ...run, env: { TOKEN: 'hunter2', LEVEL: '1' } }),
    server('docs', { ...page, headers: { Authorization: 'Bearer hunter2' } }),
  ]),
  file('Cursor', [server('plain', run)]),
];

function check(name: string, entry: object, expected: string | undefined): void {
  expect(duplicateRemark(server(name, entry), before)).toBe(expected);
}

test('a server that another host has is told as the same only if it is given the same', () => {
  check('notes', { ...run, env: { LEVEL: '1', TOKEN: 'hunter2' } }, 'the same as in Claude Code');
  check('other', { ...run, env: { LEVEL: '1', TOKEN: 'hunter2' } }, 'the same server as notes in Claude Code');
  check('other', { ...run, env: {} }, 'the same server as plain in Cursor');
  check('web', { ...page, headers: { authorization: 'Bearer hunter2' } }, 'the same server as docs in Claude Code');
  check('mine', { command: 'other' }, undefined);
});

test('the same server with another environment, other headers or another folder is told apart, without values', () => {
  check(
    'notes',
    { ...run, env: { TOKEN: 'other', LEVEL: '1' } },
    'not used: Claude Code has notes with another environment',
  );
  check('notes', run, 'not used: Claude Code has notes with another environment');
  check('notes', { command: 'other' }, 'not used: Claude Code has another notes');
  check('docs', page, 'not used: Claude Code has docs with other headers');
  check('work', { ...run, env: { A: '1' } }, 'the command of notes in Claude Code, with another environment');
  check('here', { ...run, cwd: '/srv' }, 'the command of plain in Cursor, with another folder');
  check('web', page, 'the URL of docs in Claude Code, with other headers');
});
