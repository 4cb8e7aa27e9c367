import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HttpMode } from '../../src/testing/mode.js';
import { findMode } from '../../src/testing/modes.js';
import { serveMode } from '../../src/testing/serve-mode.js';
import { FAR_MS } from './late-clock.js';
import { openGate } from './live-servers.js';
import { makeSandbox, type Run, USER_FILE } from './sandbox.js';

const server = join(import.meta.dirname, 'tool-server.mjs');
const given = ['--', process.execPath, server];
const call = (...words: readonly string[]): Promise<Run> => makeSandbox().run(['call', ...words, ...given]);

test('a tool of a command that is configured nowhere is called by its name', async () => {
  const { code, stdout, stderr } = await call('echo', 'text=hi there');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"text":"hi there"}\n', stderr: '' });
});

test.each([
  [['a=2', 'b=3'], { a: 2, b: 3 }],
  [['a=2', 'list=[1,2]', 'on=true'], { a: 2, list: [1, 2], on: true }],
  [['a:="two"', '--force'], { a: 'two' }],
  [['a=1', 'more=1', '--force'], { a: 1, more: '1' }],
  [['--args', '{"a":1,"b":2}', 'b=3'], { a: 1, b: 3 }],
  [['a=1', '__proto__=x', '--force'], JSON.parse('{"a":1,"__proto__":"x"}')],
])('%j becomes %j', async (words, input) => {
  const { stdout } = await call('add', ...words);
  expect(JSON.stringify(JSON.parse(stdout))).toBe(JSON.stringify(input));
});

test('name=@file sends what the file holds', async () => {
  const sandbox = makeSandbox();
  const file = sandbox.write('note.txt', 'from a file\n');
  const { stdout } = await sandbox.run(['call', 'echo', `text=@${file}`, ...given]);
  expect(JSON.parse(stdout)).toEqual({ text: 'from a file\n' });
});

test.each([
  [['add', 'a=two'], 2, 'a must be a number'],
  [['add', 'on=maybe'], 2, 'on must be true or false'],
  [['add', 'a:=['], 2, 'the value of a is not valid JSON'],
  [['add', 'nonsense'], 2, '"nonsense" is not an argument'],
  [['add', '--args', '[1]'], 2, '--args must be a JSON object'],
  [['echo', 'text=@/does/not/exist'], 2, 'cannot be read'],
  [['ad', 'a=1'], 1, 'Did you mean add?'],
  [['broken'], 1, 'has a tool "broken", and it cannot be used: its inputSchema is no object'],
  [[], 2, 'call needs the name of a tool'],
])('%j ends with %i and says: %s', async (words, exit, text) => {
  const { code, stderr, stdout } = await call(...words);
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr).toContain(text);
});

test('an error of the tool itself is shown and exits 1; as JSON it is an outcome', async () => {
  const { code, stdout } = await call('fail');
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'the disk is full\n' });
  const asJson = await call('fail', '--json');
  expect(asJson.json).toMatchObject({
    ok: true,
    data: { name: 'mcp__tool-server__fail', outcome: 'error', attempts: 1 },
  });
  expect(asJson.code).toBe(1);
});

test('an error of the protocol reaches people cleaned', async () => {
  const { code, stderr } = await call('refuse');
  expect(code).toBe(1);
  expect(stderr).toContain('Server "tool-server" answered tools/call with error -32000: not today');
});

test('what a terminal would obey does not reach it', async () => {
  const { stdout } = await call('ansi');
  expect(stdout).toBe('red evil\n');
});

test('content that is no text is named', async () => {
  // No image, whatever it says: saved as it is.
  expect((await call('picture')).stdout).toMatch(/^\[image image\/png, 3 bytes, saved to HOME\/\S+\.bin\]\n$/u);
  expect((await call('rows')).stdout).toBe('{\n  "n": 1\n}\n');
});

test('a text beside structured content hides nothing of it, wherever it is shown, and nothing is shown twice', async () => {
  expect(await show('one row', false)).toBe('one row\n{\n  "n": 1\n}\n');
  expect(await show('one row', true)).toBe('one row\n{"n":1}\n');
  expect(await show('{"n": 1}', false)).toBe('{"n": 1}\n');
  expect(await show('{"n": 1}', true)).toBe('{"n": 1}\n');
});

async function show(said: string, isTerminal: boolean): Promise<string> {
  return (await makeSandbox().run(['call', 'rows', `said=${said}`, ...given], { isTerminal })).stdout;
}

test('structured content that breaks its own schema is an error that names the path', async () => {
  const { code, stderr } = await call('liar');
  expect(code).toBe(1);
  expect(stderr).toMatch(/breaks the tool's own schema: \/n /u);
});

test('what a tool says beside structured content that breaks its schema is shown with the error', async () => {
  for (const isTerminal of [true, false]) {
    const { code, stdout, stderr } = await makeSandbox().run(['call', 'liar', 'said=one row', ...given], {
      isTerminal,
    });
    expect([code, stdout]).toEqual([1, 'one row\n']);
    expect(stderr).toMatch(/breaks the tool's own schema: \/n /u);
  }
  const { code, json } = await call('liar', 'said=one row', '--json');
  expect([code, json?.data]).toMatchObject([
    1,
    {
      outcome: 'error',
      error: { code: 'bad-answer' },
      content: [{ text: expect.stringContaining('breaks') }, { type: 'text', text: 'one row' }],
    },
  ]);
  expect(json?.data).not.toHaveProperty('structuredContent');
});

test('events that are no messages before the answer of an HTTP server are passed over, and the first is noted', async () => {
  await using served = await serveMode(findMode('sse-not-json') as HttpMode);
  const { code, stdout, stderr } = await makeSandbox().run(['call', 'attack', served.url]);
  expect([code, stdout]).toEqual([0, 'survived\n']);
  expect(stderr).toMatch(
    /does something odd: an event that is not a message was skipped \(it is no JSON.*\): hello\n$/u,
  );
});

test.each([
  ['true', 1],
  ['"true"', 1],
  ['"yes"', 1],
  ['1', 1],
  ['{}', 1],
  ['["no"]', 1],
  ['false', 0],
  ['null', 0],
  ['0', 0],
  ['"false"', 0],
  ['"False"', 0],
])(
  'a tool that says isError %s ends with %i, and what is no boolean is noted where it means an error',
  async (as, exit) => {
    const { code, stdout, stderr } = await call('fail', '--args', `{"as":${as}}`);
    expect([code, stdout]).toEqual([exit, 'the disk is full\n']);
    const isNoted = exit === 1 && as !== 'true';
    expect(stderr).toMatch(
      isNoted ? /^note: isError is .* instead of true or false: it is taken for an error$/mu : /^$/u,
    );
  },
);

test('an answer of 20 MB is saved to a file of the user alone, and shown by its beginning', async () => {
  const sandbox = makeSandbox();
  const { code, json } = await sandbox.run(['call', 'large', 'bytes=20000000', '--json', ...given]);
  expect(code).toBe(0);
  const [saved] = (json!.data as { saved: { path: string; bytes: number; mimeType: string }[] }).saved;
  expect(saved).toMatchObject({ bytes: 20_000_000, mimeType: 'text/plain' });
  const path = saved!.path.replace('HOME', sandbox.home);
  expect(readFileSync(path, 'utf8') === '0123456789abcdef'.repeat(1_250_000)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a server that dies during the call is told with its code and its last words', async () => {
  const { code, stderr } = await call('die');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /exited with code 7 before it answered tools\/call; whether it was done is unknown\n.*\n {4}first words\n {4}last words\n {2}→ Find out whether it was done before you do it again\n$/u,
  );
});

test('what a server says on stderr is kept in a log of its own', async () => {
  const sandbox = makeSandbox();
  await sandbox.run(['call', 'die', ...given]);
  const logs = join(sandbox.home, '.local/state/plugboard/logs');
  expect(readdirSync(logs)).toEqual(['tool-server.log']);
  expect(readFileSync(join(logs, 'tool-server.log'), 'utf8')).toContain('last words');
});

test.each([
  ['', [], { stderr: expect.stringContaining(`${FAR_MS} ms`) as string }],
  [
    ', and as JSON with an outcome that is unknown',
    ['--json'],
    { json: { ok: true, data: { outcome: 'unknown', error: { code: 'call-timeout' }, attempts: 1 } } },
  ],
])('--timeout ends a call that is never answered, with exit code 124%s', async (_, flags, told) => {
  const { entry, received } = openGate({ silentAbout: ['tools/call'] });
  const words = ['call', 'a.echo', '--timeout', FAR_MS, '--mcp-server', `a=${JSON.stringify(entry)}`, ...flags];
  const run = await makeSandbox().run(words, { late: { at: () => received('tools/call') } });
  expect(run).toMatchObject({ code: 124, ...told });
});

test.each([['tools.echo'], ['mcp__tools__echo']])('of a configured server a tool is %s', async (word) => {
  const sandbox = makeSandbox({
    [USER_FILE]: {
      mcpServers: { tools: { command: process.execPath, args: [server] }, other: { command: 'no-such-command' } },
    },
  });
  const { code, stdout } = await sandbox.run(['call', word, 'text=x']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"text":"x"}\n' });
});

test('a tool of no server says which servers there are', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { tools: { command: process.execPath, args: [server] } } },
  });
  const { code, stderr } = await sandbox.run(['call', 'nothing.echo']);
  expect(code).toBe(1);
  expect(stderr).toContain('No server that may run here is called "nothing"');
  expect(stderr).toContain('tools');
});

test('a bare name is enough where only one server has the tool, and asks which one where several have', async () => {
  const entry = { command: process.execPath, args: [server] };
  const one = makeSandbox({ [USER_FILE]: { mcpServers: { tools: entry } } });
  expect((await one.run(['call', 'echo', 'text=x'])).stdout).toBe('{"text":"x"}\n');
  const two = makeSandbox({ [USER_FILE]: { mcpServers: { tools: entry, more: entry } } });
  const { code, stderr } = await two.run(['call', 'echo', 'text=x']);
  expect(code).toBe(1);
  expect(stderr).toContain('tools.echo or more.echo');
});

test.each([
  [['die'], 1, 'unknown', 'connection-closed'],
  [['refuse'], 1, 'error', 'server-error'],
  [['liar'], 1, 'error', 'bad-answer'],
])('as JSON, %j that was sent ends with %i and the outcome %s', async (words, exit, outcome, code) => {
  const run = await call(...words, '--json');
  expect(run.json).toMatchObject({ ok: true, data: { outcome, error: { code }, attempts: 1 } });
  expect(run.code).toBe(exit);
});

test('a variable for the command is given with --env, and the others of this shell are not', async () => {
  const sandbox = makeSandbox();
  const script = 'console.error(process.env.GIVEN, process.env.OTHER); process.exit(1)';
  const { stderr } = await sandbox.run(['tools', '--env', 'GIVEN=yes', '--', process.execPath, '-e', script], {
    env: { OTHER: 'no' },
  });
  expect(stderr).toContain('yes undefined');
});

test('--record keeps an older recording until a server is opened', async () => {
  const sandbox = makeSandbox();
  const file = sandbox.write('old.jsonl', 'older');
  const { stderr } = await sandbox.run(['list', '--no-connect', '--record', file]);
  expect(stderr).toContain('Nothing is recorded: list opened no server');
  expect(sandbox.read('old.jsonl')).toBe('older');
  const fresh = join(sandbox.root, 'new.jsonl');
  expect((await sandbox.run(['call', 'echo', 'text=x', '--record', fresh, ...given])).stderr).toContain('Recorded to');
  expect(readFileSync(fresh, 'utf8').split('\n').length).toBeGreaterThan(8);
});
