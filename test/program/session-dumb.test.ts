import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { call, say } from './prompt-scene.js';
import { delegate, openModel, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('where the terminal edits its lines itself, Ctrl-C stops what is under way, and not the session', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const seat = open(context, { sandbox, script: 'TERM=dumb $PLUGBOARD; echo "[left $?]"; TERM=dumb $PLUGBOARD' });
  await seat.until('desk is connected');
  seat.line('/call desk.wait');
  await seat.untilSo(() => seat.journal().includes('call wait'));
  seat.type('C-c');
  await seat.until('Stopped.');
  await seat.untilSo((screen) => screen.endsWith('\n>'));
  seat.type('C-c');
  await seat.until('Ctrl-C again leaves\n>');
  seat.type('C-d');
  await seat.until('[left 0]');
  await seat.until('desk is connected', 2);
  seat.type('C-c');
  await seat.until('Ctrl-C again leaves', 2);
  seat.type('C-c');
  expect(await seat.until('[ended 0]')).not.toContain('left 130');
});

test('with --plain every line is words alone: no colour, no cursor that moves, questions that take a typed word', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(USER_FILE, { mcpServers: { desk: delegate(sandbox) } });
  const edit = { key: 'a', old_string: 'one', new_string: 'two' };
  const { env } = await openModel([[call('mcp__desk__write_note', edit, 't1')], say('It is **written**.')]);
  const script = '$PLUGBOARD --plain; echo "[left $?]"; $PLUGBOARD call desk.ship --plain';
  const seat = open(context, { sandbox, env, script });
  await seat.until('desk is connected');
  seat.line('go');
  const question = await seat.until('y/s/a/n/t:');
  expect(question).toContain('\n=== Permission question ===\nThe model wants to call "write_note" of server "desk"\n');
  expect(question).toContain('\n|   - one\n|   + two\n');
  seat.line('maybe');
  await seat.until('One of y, s, a, n, t:');
  seat.line('yes');
  const answered = await seat.until('It is **written**.');
  expect(answered).toContain('\nCalling desk.write_note(key: "a"');
  expect(answered).toContain('\n✔ desk.write_note allowed once\n');
  await seat.untilSo((screen) => screen.endsWith('\n>'));
  seat.line('/exit');
  await seat.until('[left 0]');
  await seat.reply('Oslo', 'Text:');
  await seat.reply('n', 'y or n:');
  await seat.reply('y', '[b]ack:');
  const screen = await seat.until('[ended 0]');
  expect(screen).toContain('\n=== Server "desk" asks you something ===\n');
  expect(screen).toContain('\n✔ Server "desk": you sent the form\n');
  expect(seat.written()).not.toContain('\u001B');
});
