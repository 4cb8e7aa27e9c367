import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { delegate, useSeats } from './session-terminal-scene.js';

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
