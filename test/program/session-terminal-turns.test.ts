import { expect, test } from 'vitest';
import { keeping } from '../auth/auth-scene.js';
import { localDialect } from '../fixtures/openai-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { call, say } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';
import { delegate, isAlive, openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('Ctrl-C stops words and calls, three times leaves, and no process is left over', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const words = say('These words come **one** after the other, and then nothing more of them comes to anybody.');
  const { env, api } = await openModel([
    { mischief: 'stall', turn: words, share: 0.7 },
    [call('mcp__desk__wait', { key: 'a' }, 'a')],
    say('Never mind.'),
    [call('mcp__desk__wait', { key: 'b' }, 'b')],
  ]);
  const seat = open(context, { sandbox, env, script: '$PLUGBOARD --allow mcp__desk' });
  const { enter, until, untilSo, started, type, journal } = seat;
  await until('is connected');
  await enter('go');
  await until('These words');
  type('C-c');
  await until('Stopped.');
  await api.left(1);
  await enter('wait');
  await until('desk.wait(key: "a")');
  type('C-c');
  expect(await until('Stopped.', 2)).toContain('? desk.wait(key: "a")  outcome unknown,');
  await untilSo(() => journal().some((line) => line.startsWith('cancelled')));
  await enter('and now?');
  await until('Never mind.');
  expect(readBy(api, 3)).toContain('The user stopped you here');
  await enter('wait again');
  await until('desk.wait(key: "b")');
  type('C-c', 'C-c', 'C-c');
  await until('[ended 130]');
  await untilSo(() => !started().some(isAlive));
  expect(journal()).toEqual(['start', 'call wait a', expect.stringMatching(/^cancelled \d+$/u), 'call wait b']);
});

test('an endpoint of their own is asked without a key, and another model goes on with the conversation', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const reading = { calls: [{ id: 'c1', name: 'mcp__desk__read_note', arguments: '{"key":"a"}' }] };
  const local = await keeping(
    openScriptedApi(localDialect, (turn) => (turn === 1 ? reading : { content: 'Local **words**.' }), {
      models: ['tiny'],
    }),
  );
  const { env, api } = await openModel([say('I am the other one.')]);
  const script = '$PLUGBOARD --model openai/tiny --allow mcp__desk; env -u ANTHROPIC_API_KEY $PLUGBOARD';
  const { enter, until, type } = open(context, { sandbox, env: { ...env, OPENAI_BASE_URL: local.url }, script });
  await until('is connected');
  await enter('go');
  await until('Local words.');
  await enter('/model anthropic/scripted');
  await until('From now on: scripted of');
  await enter('And you?');
  await until('I am the other one.');
  expect(readBy(api, 1)).toContain('And you?');
  expect(JSON.stringify(api.requests[0])).toContain('note a');
  await enter('/exit');
  await until('tiny (', 2);
  type('C-d');
  await until('[ended 0]');
  expect([local.refused, api.refused]).toEqual([[], []]);
});

test('Tab completes commands, tools, prompts and what may be read', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const { until, untilSo, seen, type, write } = open(context, { sandbox, script: '$PLUGBOARD' });
  await until('is connected');
  write('/m');
  await until('/model');
  type('C-u');
  write('/call desk.wr');
  await until('> desk.write_note');
  type('Tab');
  await untilSo(() => seen().includes('> /call desk.write_note'));
  write('k');
  await until('key=');
  type('Tab');
  write('z');
  type('Enter');
  await until('wrote z');
  write('/mcp__d');
  await until('sum-up');
  type('Tab');
  write('Monday');
  type('Enter');
  await until('Sum up Monday.');
  write('@des');
  await until('resources: 1');
  type('Tab');
  await until('note://today');
  type('Tab');
  await untilSo(() => seen().includes('> @desk:note://today'));
  type('Enter');
  expect(await until('buy bread')).toContain('\n> /call desk.write_note key=z\nwrote z\n');
  type('C-d');
  await until('[ended 0]');
});

test('it is readable in 40 columns, without colours, on a dumb terminal, and on one that has no columns', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const calling = [{ type: 'text', text: 'I look.' }, call('mcp__desk__read_note', { key: 'a' }, 't1')];
  const { env } = await openModel([calling, say('Fine **now**.'), say('Plain **words**.'), say('Some words.')]);
  const script = 'NO_COLOR=1 $PLUGBOARD; echo "[dumb]"; TERM=dumb $PLUGBOARD; echo "[none]"; stty cols 0; $PLUGBOARD';
  const seat = open(context, { sandbox, env, script, columns: 40 });
  const { enter, until, answer, type, written, line, untilSo } = seat;
  const untilAfter = (mark: string, text: RegExp): Promise<string> =>
    untilSo((screen) => text.test(screen.slice(screen.indexOf(mark) + mark.length)) && screen.includes(mark));
  expect(await until('y/n/s:')).toMatch(/\n── A project server wants to run ─+\nRead its entry before/u);
  await answer('y', 'y/n/s:');
  await until('is connected');
  await enter('go');
  expect(await until('y/s/a/n/t:')).toContain(
    '\n  Stated by the server: only reads\n    (outside access: not stated)\n  Risk: low, if the server is right\n    that the tool only reads\n| key: "a"\n',
  );
  await answer('y');
  await until('Fine **now**.');
  await enter('/mcp');
  await until('q back');
  type('q');
  await enter('/exit');
  await until('[dumb]');
  expect(written()).not.toMatch(COLOUR);
  await untilAfter('[dumb]', /is connected.*\n>$/u);
  line('hello');
  await untilAfter('[dumb]', /Plain.*\n(?:.*\n)?>$/u);
  line('/mcp');
  await untilAfter('[dumb]', /✔ connected[^]*\n>$/u);
  line('/exit');
  await untilAfter('[none]', /is connected[^]*\n>$/u);
  await enter('hello');
  const all = await until('Some words.');
  expect(all).toContain(
    '\ndesk is connected, 7 tools\n> hello\nPlain **words**.\n\n> /mcp\n1 MCP server: 1 connected\n',
  );
  type('C-d');
  await until('[ended 0]');
  expect(written()).toMatch(COLOUR);
});

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*\\b[34][0-7]m`, 'u');
