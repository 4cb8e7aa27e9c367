import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Io } from '../../src/cli/io.js';
import { run as runWith } from '../../src/cli/run.js';
import { FakeClock } from '../fake-clock.js';
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
    'note: "asker" asked you "Which one?"; Plugboard declined: it cannot ask you without a terminal\n',
  );
});

test('on a terminal it is asked on stderr, and stdout is the answer alone', async () => {
  const { run } = openAsker();
  const { json, stderr } = await run([...call, '--json'], { answers: ['this one', 'y'], isTerminal: true });
  expect(json?.data?.['content']).toEqual([{ type: 'text', text: '{"action":"accept","content":{"a":"this one"}}' }]);
  expect(stderr).toMatch(/Server "asker" asks you something.*\n\| Which one\?\n/u);
});

/** A server that sends an elicitation before it answers initialize. */
const EARLY = `
  let greeting;
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') {
      greeting = id;
      send({ id: 'q', method: 'elicitation/create', params: { message: 'Who is there?', requestedSchema: schema } });
    } else if (id === 'q') send({ id: greeting, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'e', version: '1' }, capabilities: { tools: {} } } });
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'hi', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'hello' }] } });
    else if (method && id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  });
`;

test('the line that tells how far connecting is does not write into a dialog', async () => {
  const { home, project } = makeSandbox();
  let screen = '';
  const write = (text: string): void => void (screen += text);
  const clock = new FakeClock();
  const answers = ['it is me', 'y'];
  const ask = async (prompt: string): Promise<string> => {
    write(prompt);
    await clock.pass(200); // long enough for the progress line to be drawn when no dialog is open
    write(`${answers[0]}\n`);
    return answers.shift()!;
  };
  const terminal = { isTerminal: true, columns: 80, write };
  const io: Io = {
    env: { HOME: home, PATH: process.env['PATH'] },
    stdout: terminal,
    stderr: terminal,
    stdin: { isTerminal: true, read: async () => '', ask, askSecret: ask },
    now: () => new Date(0),
    clock,
  };
  expect(await runWith(['call', 'hi', '--cwd', project, '--', process.execPath, '-e', EARLY], io)).toBe(0);
  expect(screen).toContain('Text: it is me\n');
  expect(screen).toContain('[b]ack: y\n');
});

test('a page that is wanted first is named where nobody can be asked', async () => {
  const { run } = openAsker();
  const { code, stderr } = await run(['call', 'asker.page', 'url=https://example.com/sign']);
  expect(code).toBe(1);
  expect(stderr).toContain('needs the user to visit a page first, and that was declined: nobody is there to ask');
  expect(stderr).toContain('https://example.com/sign');
});
