import { expect, test } from 'vitest';
import { say } from './prompt-scene.js';
import { makeSandbox } from './sandbox.js';
import { openModel, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('a session is picked from the list with the keys, and goes on with its last exchange on the screen', async (context) => {
  const sandbox = makeSandbox();
  const { env, api } = await openModel([say('Under the desk.'), say('It is blue.'), say('Still under the desk.')]);
  const first = open(context, { sandbox, env, script: '$PLUGBOARD; $PLUGBOARD; $PLUGBOARD --resume' });
  const { enter, until, untilSo, type, seen } = first;
  await enter('Where is the cat?');
  await until('Under the desk.');
  await enter('/exit');
  await until('/help lists the commands', 2);
  await enter('Which colour has the sky?');
  await until('It is blue.');
  await enter('/exit');
  await untilSo(() => seen().startsWith('Sessions of this folder'));
  expect(seen()).toMatch(
    /> Which colour has the sky\? {2}just now, 2 messages, [\da-f]{8}\n {2}Where is the cat\? {2}just now, 2 messages, [\da-f]{8}\n/u,
  );
  expect(seen()).toContain('enter resumes · ↑↓ moves · esc leaves');
  await untilSo(() => {
    if (!seen().includes('> Where is the cat?')) type('Down');
    return seen().includes('> Where is the cat?');
  });
  type('Enter');
  await until('Resumed: Where is the cat?');
  expect(seen()).toContain('| Under the desk.');
  await enter('And now?');
  await until('Still under the desk.');
  const messages = JSON.stringify(api.requests[2]!['messages']);
  expect(messages).toContain('Where is the cat?');
  expect(messages).not.toContain('sky');
});
