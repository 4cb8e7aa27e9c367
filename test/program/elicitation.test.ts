import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';

const question = { message: 'Which one?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
const call = ['call', 'asker.ask', '--args', JSON.stringify({ question })];

function openAsker(): Sandbox {
  const args = [resolve(import.meta.dirname, '../calls/question-server.mjs')];
  return makeSandbox({ [USER_FILE]: { mcpServers: { asker: { command: process.execPath, args } } } });
}

test('without a terminal a question is declined at once, and a note says so', async () => {
  const { run } = openAsker();
  const { code, stdout, stderr } = await run(call);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    action: 'decline',
    _meta: { 'plugboard/reason': 'nobody is there to ask' },
  });
  expect(stderr).toBe(
    'note "asker" asked you "Which one?", which was declined: nobody can be asked without a terminal\n',
  );
});

test('on a terminal it is asked on stderr, and stdout is the answer alone', async () => {
  const { run } = openAsker();
  const { json, stderr } = await run([...call, '--json'], { answers: ['this one', 'y'], isTerminal: true });
  expect(json?.data?.['content']).toEqual([{ type: 'text', text: '{"action":"accept","content":{"a":"this one"}}' }]);
  expect(stderr).toContain('=== Server "asker" asks you something ===\n| Which one?\n');
});

test('a page that is wanted first is named where nobody can be asked', async () => {
  const { run } = openAsker();
  const { code, stderr } = await run(['call', 'asker.page', 'url=https://example.com/sign']);
  expect(code).toBe(1);
  expect(stderr).toContain('needs the user to visit a page first, and that was declined: nobody is there to ask');
  expect(stderr).toContain('https://example.com/sign');
});
