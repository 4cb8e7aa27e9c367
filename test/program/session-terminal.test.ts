import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { call, say } from './prompt-scene.js';
import { localFileOf, makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';
import { delegate, openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('whoever starts it for the first time learns what there is and what is missing, and finds it in the history later', async (context) => {
  const seat = open(context, { script: '$PLUGBOARD; echo "[left $?]"; $PLUGBOARD' });
  const { enter, until, type, seen, untilSo } = seat;
  expect(await until('>')).toMatch(/^Plugboard \d+\.\d+\.\d+ {2}no model$/mu);
  await enter('hello');
  await until('@SERVER:URI');
  await until('the Up key brings it back.');
  await untilSo((screen) => screen.endsWith('\n>'));
  type('Up');
  await until('> hello', 2);
  await enter('/help');
  await until('put a space before the /');
  await enter('/mcp');
  await until('q back');
  expect(seen()).toContain('0 MCP servers');
  type('q');
  await enter('/exot');
  await until('Did you mean /exit?');
  await enter('/exit');
  await untilSo((screen) => /\[left 0\][^]*\n>$/u.test(screen));
  type('Up', 'Up', 'Up');
  await until('> /mcp', 2);
  type('C-c', 'C-c');
  await untilSo(() => seat.written().includes('Ctrl-C again leaves'));
  type('C-d');
  await until('[ended 0]');
});

test('a server of the project runs after a yes, and its tools are called after another', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: delegate(sandbox), other: delegate(sandbox) } });
  const { api, env } = await openModel([
    [{ type: 'text', text: 'Let me look.' }, call('mcp__desk__read_note', { key: 'a' }, 't1')],
    [call('mcp__desk__read_note', { key: 'b' }, 't2')],
    [call('mcp__desk__read_note', { key: 'c' }, 't3')],
    [call('mcp__desk__write_note', { key: 'd' }, 't4')],
    [call('mcp__desk__write_note', { key: 'e' }, 't5')],
    [call('mcp__desk__ship', {}, 't6')],
    [call('mcp__desk__ship', {}, 't7')],
    say('Enough **for now**.'),
    [call('mcp__desk__write_note', { key: 'f' }, 't8')],
    [call('mcp__desk__read_note', { key: 'g' }, 't9')],
    say('Over.'),
  ]);
  const script = '$PLUGBOARD; echo "[left $?]"; $PLUGBOARD';
  const { enter, until, reply, answer, journal, untilSo, type } = open(context, { sandbox, env, script });
  const dialog = await until('y/n/s/l:');
  expect(dialog).toMatch(/── A project server wants to run ─+\nRead its entry before you let it run:\n/u);
  expect(dialog).toContain(`|     - "${resolve(import.meta.dirname, 'session-terminal-server.mjs')}"`);
  expect(journal()).toEqual([]);
  await answer('y', 'y/n/s/l:');
  await answer('n', 'y/n/s:');
  expect(await until('desk is connected, 7 tools')).toContain('Remembered: other is rejected');
  await enter('go on');
  await answer('y');
  await answer('s');
  await answer('a');
  await answer('n');
  await answer('t');
  await reply('take the train', 'Why not?');
  const screen = await until('Enough for now.');
  expect(journal()).toEqual([
    'start',
    ...['read_note a', 'read_note b', 'read_note c', 'write_note d', 'write_note e'].map((one) => `call ${one}`),
  ]);
  expect(readBy(api, 8)).toContain('take the train');
  const rules = localFileOf(sandbox)!;
  expect(screen.replaceAll(/\n {2,}/gu, ' ')).toContain(
    `✔ desk.write_note always allowed: the rule mcp__desk__write_note is in ${rules.replace(sandbox.home, '~')}`,
  );
  // An answered question is one line.
  expect(screen).toContain('\n✔ desk.read_note allowed once\n');
  expect(screen).toContain('\n✘ desk.ship denied\n');
  expect(screen).not.toContain('Permission question');
  await enter('/exit');
  await until('[left 0]');
  // "Always" still holds in the next session; what was allowed for one session is asked about again.
  await untilSo((shown) => shown.split('desk is connected').length > 2);
  await enter('once more');
  await answer('n');
  await until('Over.');
  expect(journal().at(-1)).toBe('call write_note f');
  type('C-d');
  await until('[ended 0]');
});

test('servers ask the user in the middle of a call, and a large result is in a file', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const { api, env } = await openModel([
    [call('mcp__desk__ship', {}, 't1')],
    [call('mcp__desk__ship', {}, 't2')],
    [call('mcp__desk__page', {}, 't3')],
    [call('mcp__desk__report', {}, 't4')],
    [call('mcp__desk__forge', {}, 't5')],
    say('All done.'),
  ]);
  const seat = open(context, { sandbox, env, script: '$PLUGBOARD --allow mcp__desk' });
  const { until, reply, enter } = seat;
  await until('is connected');
  await enter('go');
  await until('Server "desk" asks you something');
  await reply('Oslo', 'Text:');
  await reply('y', 'y or n:');
  await reply('y', '[b]ack:');
  expect(await until('"city":"Oslo"')).toContain('\n✔ Server "desk": you sent the form\n');
  await reply(':decline', 'Text:');
  await until('"action":"decline"');
  await reply('y', '[n]o (decline):');
  expect(await seat.opened()).toBe('1\nhttps://example.com/sign\n');
  // A server's own claim that its page was visited does not answer the question in the user's place.
  await until('https://example.com/forged');
  await reply('n', '[n]o (decline):');
  const screen = await until('All done.');
  const [file = ''] = screen.replaceAll('\n', '').match(/(?<=less )\S+\.txt/u) ?? [];
  expect(readFileSync(file, 'utf8')).toMatch(/\nrow 8999 of the report, and what it says$/u);
  expect(screen).toContain(
    '  │ row 3 of the report, and what it says\n  │ …\n  Whole result (text/plain, 368 kB): less ',
  );
  expect(readBy(api, 5)).toContain(file);
  expect(readBy(api, 2)).toContain('Oslo');
  expect(readBy(api, 3)).toContain('decline');
  expect(readBy(api, 4)).toContain('signed');
  expect(readBy(api, 6)).toMatch(/visit a page first, and that was declined/u);
  await enter('/exit');
  await until('[ended 0]');
});

test('keys that were meant for something else answer no question', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const gate = new EventEmitter();
  const turn = [{ type: 'text', text: 'Wait a moment.' }, call('mcp__desk__write_note', { key: 'a' }, 't1')];
  const { api, env } = await openModel([
    { mischief: 'wait', turn, gate: once(gate, 'open'), share: 0.4 },
    say('As you like.'),
  ]);
  const { until, answer, enter, write, journal, seen, type } = open(context, { sandbox, env });
  await until('is connected');
  await enter('go');
  await api.asked(1);
  write('yay, say');
  gate.emit('open');
  await until('y/s/a/n/t:');
  expect(seen()).toMatch(/y\/s\/a\/n\/t:$/u);
  await answer('n');
  await until('As you like.');
  await until('> yay, say');
  expect(journal()).toEqual(['start']);
  type('C-c', 'C-d');
  await until('[ended 0]');
});

test('npm start on a terminal opens a session with the servers of the demo', async (context) => {
  const script = `${process.execPath} ${resolve(import.meta.dirname, '../../scripts/start.mjs')}`;
  const { enter, until, seen, type, untilSo } = open(context, { script });
  // A server that takes more than five seconds to start is reported later.
  const told = /3 servers are connected, 7 tools|2 servers are connected[^]* is connected|(?:\w is connected[^]*){3}/u;
  await untilSo((screen) => told.test(screen));
  await enter('/call clock.now');
  expect(await until(' ms')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z\n\d+ ms$/mu);
  await enter('/mcp');
  await until('q back');
  await untilSo(() => seen().match(/✔ connected/gu)?.length === 3);
  type('q');
  await enter('/exit');
  await until('[ended 0]');
});
