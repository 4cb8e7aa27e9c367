import { expect, test } from 'vitest';
import { keeping } from '../auth/auth-scene.js';
import { browse } from '../auth/browser.js';
import { openOidcServer } from '../auth/oidc-server.js';
import { openProtectedServer } from '../auth/protected-server.js';
import { call, say } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE, serversIn, USER_FILE } from './sandbox.js';
import { delegate, openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('a server that is killed is lost and comes back, by itself and by hand, and is switched off and on', async (context) => {
  const sandbox = makeSandbox();
  const file = sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const { env } = await openModel([[call('mcp__desk__read_note', { key: 'a' }, 't1')], say('Fine.')]);
  const seat = open(context, { sandbox, env, script: '$PLUGBOARD --allow mcp__desk' });
  const { enter, until, started, seen, type, untilSo } = seat;
  const untilSeen = (text: string): Promise<string> => untilSo(() => seen().includes(text));
  await until('desk is connected');
  process.kill(started()[0]!, 'SIGKILL');
  await until('desk lost, retry 1/5 in 1 s');
  expect(await until('desk is back, 7 tools')).toContain('desk lost, retry 1/5 in 1 s: was ended by SIGKILL\n');
  await enter('go');
  expect(await until('Fine.')).toContain('✔ desk.read_note(key: "a")  ok,');
  await enter('/mcp');
  await untilSeen('> desk ✔ connected');
  // `reconnecting` lasts a second, too short for a slow screen: looks at the written bytes. The server may be back by
  // then.
  const before = seat.written().length;
  process.kill(started()[1]!, 'SIGKILL');
  await untilSo(() => seat.written().slice(before).includes('reconnecting'));
  type('r');
  await untilSo(() => started().length > 2 && seen().includes('> desk ✔ connected'));
  type('Enter');
  await untilSeen('Skills (0)');
  type('g');
  await untilSeen('was ended by SIGKILL');
  type('q', 'd');
  await untilSeen('Server "desk"  ○ disabled');
  expect(serversIn(file)['desk']).toMatchObject({ disabled: true });
  type('q', 'q');
  await untilSo(() => seen().includes('> /mcp'));
  await enter('/mcp reconnect desk');
  expect(await until('/mcp enable desk')).toContain('Server "desk" is disabled\n');
  await enter('/mcp');
  await untilSeen('> desk ○ disabled');
  type('e');
  await untilSeen('> desk ✔ connected');
  expect(serversIn(file)['desk']).not.toHaveProperty('disabled');
  type('q');
  await enter('/exit');
  // Tools that were dropped from the cache and listed again are not reported as gone.
  expect(await until('[ended 0]')).not.toContain('gone');
});

test('a server of the project that has changed is looked at again, with what is different', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: delegate(sandbox) } });
  expect((await sandbox.run(['approve', 'desk'], { answers: ['y'], isTerminal: true })).code).toBe(0);
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: { ...delegate(sandbox), timeout: 5000 } } });
  const { answer, enter, until, seen, type, untilSo, journal } = open(context, { sandbox });
  expect(await until('y/n/s:')).toMatch(
    /=> changed since it was approved on \d{4}-\d\d-\d\d:\n=> {3}\+ timeout: 5000\n/u,
  );
  await answer('s', 'y/n/s:');
  await enter('/mcp');
  await until('q back');
  type('a');
  await until('Let "desk" run?');
  expect(seen()).toMatch(/=> changed since it was approved on \d{4}-\d\d-\d\d:\n=> {3}\+ timeout: 5000\n/u);
  expect(journal()).toEqual([]);
  type('y');
  await untilSo(() => seen().includes('✔ connected'));
  type('q');
  await enter('/exit');
  await until('[ended 0]');
});

test('a server of the project with the name of one of the user’s says so in the dialog and in the panel', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const settings = { permissions: { allow: ['mcp__desk', 'mcp__*__read_note'] } };
  sandbox.write(USER_FILE, { mcpServers: { desk: { ...delegate(sandbox), disabled: true } }, settings });
  const { answer, enter, until, seen, type } = open(context, { sandbox, columns: 160 });
  const told = ['=> ! replaces your server "desk" of ', '=> ! rule "mcp__*__read_note" in allow of '];
  const dialog = await until('y/n/s:');
  for (const line of told) expect(dialog).toContain(line);
  expect(dialog).not.toContain('rule "mcp__desk"');
  await answer('s', 'y/n/s:');
  await enter('/mcp');
  await until('q back');
  type('a');
  await until('Let "desk" run?');
  for (const line of told) expect(seen()).toContain(line);
  type('q');
  type('q');
  await enter('/exit');
  await until('[ended 0]');
});

test('a sign-in that the model begins and one that the user begins end with the tools of the server', async (context) => {
  const authority = await keeping(openOidcServer());
  const mcp = await keeping(openProtectedServer({ authority }));
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: { type: 'http', url: mcp.url } } } });
  const { env, api } = await openModel([
    [call('mcp__srv__authenticate', {}, 't1')],
    say('Please sign in.'),
    [call('ToolSearch', { query: 'select:mcp__srv__append' }, 't2')],
    [call('mcp__srv__append', { key: 'x' }, 't3')],
    say('It is written.'),
  ]);
  const { enter, until, answer, opened } = open(context, { sandbox, env });
  await until('srv needs you to sign in: /mcp login srv');
  await enter('go');
  const screen = await until('Please sign in.');
  const [url = ''] = /https?:\/\/[^\s"\\]+/u.exec(readBy(api, 2)) ?? [];
  // The whole URL is on the screen, to be copied.
  expect(screen.replaceAll('\n', '')).toContain(url);
  expect(await browse(url)).toMatchObject({ status: 200 });
  await until('srv is connected, 3 tools');
  await enter('write');
  await answer('y');
  await until('It is written.');
  expect(mcp.journal).toEqual(['somebody: append x']);
  await enter('/mcp logout srv');
  await until('Signed out of "srv"');
  await enter('/mcp login srv');
  const [, address = ''] = (await opened()).split('\n');
  await until('Or paste');
  await browse(address);
  await until('✔ Signed in to "srv"');
  await enter('/call srv.read');
  await until('somebody: read');
  await enter('/exit');
  await until('[ended 0]');
});
