import { expect, test } from 'vitest';
import { keeping } from '../auth/auth-scene.js';
import { localDialect } from '../fixtures/openai-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { call, say } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';
import { desk, isAlive, openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('Ctrl-C stops words and calls, twice leaves, and no process is left over', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: desk(sandbox) } });
  const words = say('These words come **one** after the other, and then nothing more of them comes to anybody.');
  const waiting = (id: string): ReturnType<typeof say> => [call('mcp__desk__wait', { key: id }, id)];
  const { env, api } = await openModel([
    { mischief: 'stall', turn: words, share: 0.7 },
    waiting('a'),
    say('Never mind.'),
    waiting('b'),
  ]);
  const seat = open(context, { sandbox, env, script: '$PLUGBOARD --allow mcp__desk' });
  const { enter, until, untilSo, started, seen, type, journal } = seat;
  await until('is connected');
  await enter('go');
  await until('These words');
  type('C-c');
  await until('Stopped.');
  await api.left(1);
  await enter('wait');
  await until('desk.wait(key: "a")');
  console.log(seen());
  type('C-c');
  await until('Stopped.', 2);
  await untilSo(() => journal().some((line) => line.startsWith('cancelled')));
  await enter('and now?');
  await until('Never mind.');
  console.log(readBy(api, 3));
  await enter('wait again');
  await until('desk.wait(key: "b")');
  type('C-c', 'C-c');
  console.log(await until('[ended'));
  await untilSo(() => !started().some(isAlive));
  console.log(journal());
});

test('an endpoint of their own is asked without a key, and another model goes on with the conversation', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: desk(sandbox) } });
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
  console.log(await until('tiny (', 2));
  type('C-d');
  await until('[ended 0]');
  expect([local.refused, api.refused]).toEqual([[], []]);
});

test('Tab completes commands, tools, prompts and what may be read', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: desk(sandbox) } });
  const { until, untilSo, seen, type, write } = open(context, { sandbox, script: '$PLUGBOARD' });
  await until('is connected');
  write('/m');
  await until('/model');
  console.log(seen());
  type('C-u');
  write('/call desk.wr');
  await until('The tool write');
  console.log(seen());
  type('Tab');
  await untilSo(() => seen().includes('> /call desk.write_note'));
  write('k');
  await until('key=');
  console.log(seen());
  type('Tab');
  write('z');
  type('Enter');
  await until('wrote z');
  write('/mcp__d');
  await until('sum-up');
  console.log(seen());
  type('Tab');
  write('Monday');
  type('Enter');
  await until('Sum up Monday.');
  write('@des');
  await until('note://today');
  console.log(seen());
  type('Tab');
  await untilSo(() => seen().includes('> @desk:note://today'));
  type('Enter');
  await until('buy bread');
  console.log(seen());
  type('C-d');
  await until('[ended 0]');
});

test('it is readable in 40 columns, without colours, on a dumb terminal, and on one that has no columns', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: desk(sandbox) } });
  const calling = [{ type: 'text', text: 'I look.' }, call('mcp__desk__read_note', { key: 'a' }, 't1')];
  const { env } = await openModel([calling, say('Fine **now**.'), say('Plain **words**.'), say('Some words.')]);
  const script =
    'NO_COLOR=1 $PLUGBOARD; echo "[left $?]"; clear; TERM=dumb $PLUGBOARD; echo "[left $?]"; clear; stty cols 0; $PLUGBOARD';
  const { enter, until, answer, seen, type, written, line } = open(context, { sandbox, env, script, columns: 40 });
  await answer('y', 'y/n/s:');
  console.log(await until('is connected'));
  await enter('go');
  await answer('y');
  console.log(await until('Fine now.'));
  await enter('/mcp');
  await until('q back');
  console.log(seen());
  type('q');
  await enter('/exit');
  await until('scripted (', 1);
  expect(written()).not.toMatch(COLOUR);
  await until('>');
  line('hello');
  await until('Plain');
  console.log(seen());
  line('/mcp');
  line('/exit');
  await until('[left 0]');
  await until('/help');
  await enter('hello');
  await until('Some words.');
  console.log(seen());
  type('C-d');
  await until('[ended 0]');
});

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*\\b[34][0-7]m`, 'u');
