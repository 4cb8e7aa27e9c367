import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { embedSdk } from '../contract/servers/sdk-in-process.js';
import { Embedder } from '../embedder.js';
import { call, promptScene, say, withTools } from './prompt-scene.js';
import { copyProgram } from './sandbox.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-prompt-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(home, '.git'));
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

test('a file that is piped in is asked about, and the answer goes down the pipe', async () => {
  const { env, api } = await promptScene([say('Fine.')]);
  const { child, ended } = start(['-p', 'Sum up:'], env);
  child.stdin!.end('a\nb\n');
  expect(await ended).toEqual({ code: 0, stdout: 'Fine.\n', stderr: '' });
  expect(api.requests[0]!['messages']).toMatchObject([{ content: [{ text: 'Sum up:\n\na\nb' }] }]);
});

test('Ctrl-C in the middle of a call: 130, and no process is left', async () => {
  const { env } = await promptScene([[call('mcp__t__never', {})]]);
  const { child, ended } = start(['-p', 'go', '--verbose', ...withTools(), '--allow', 'mcp__t'], env);
  child.stdin!.end();
  await once(child.stderr!, 'data');
  child.kill('SIGINT');
  // The server inherits stderr: `close` comes after all processes have ended. Its call never ends by itself.
  expect(await ended).toMatchObject({ code: 130, stdout: '' });
});

test('over real pipes: servers of the program that starts it, two turns, and the end of stdin', async () => {
  const { env } = await promptScene([[call('mcp__calc__add', { a: 2, b: 3 })], say('Five.'), say('Bye.')]);
  const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
  const { child, ended } = start(['-p', ...stream, '--allow', 'mcp__calc'], env);
  const servers = { calc: (line: Parameters<ReturnType<typeof embedSdk>['connect']>[0]) => embedSdk({}).connect(line) };
  const embedder = new Embedder({ input: child.stdout!, output: child.stdin!, servers });
  const request = { subtype: 'initialize', sdkMcpServers: ['calc'] };
  embedder.send({ type: 'control_request', request_id: 'i', request });
  for (const content of ['2 + 3?', 'Thanks.']) embedder.send({ type: 'user', message: { role: 'user', content } });
  await embedder.until(() => embedder.others.filter(({ type }) => type === 'result')[1]);
  child.stdin!.end();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  const results = embedder.others.filter(({ type }) => type === 'result').map(({ result }) => result);
  expect(results).toEqual(['Five.', 'Bye.']);
});

test('when nobody reads the lines any more the model is not asked on', async () => {
  const { env, api } = await promptScene((turn) =>
    turn < 50 ? [call('mcp__t__echo', { text: 'x' }, `c${turn}`)] : say('no'),
  );
  const args = ['-p', 'go', '--output-format', 'stream-json', ...withTools(), '--allow', 'mcp__t'];
  const { child, ended } = start(args, env);
  child.stdin!.end();
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  expect((await ended).code).toBe(1);
  expect(api.requests.length).toBeLessThan(50);
});

test('a program that closes the lines ends the conversation without a stack trace', async () => {
  const { env, api } = await promptScene((turn) =>
    turn < 50 ? [call('mcp__t__echo', { text: 'x' }, `c${turn}`)] : say('no'),
  );
  const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
  const { child, ended } = start(['-p', ...stream, ...withTools(), '--allow', 'mcp__t'], env);
  child.stdin!.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`);
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .* no longer reads\n$/u) });
  expect(api.requests.length).toBeLessThan(50);
});

test.runIf(process.env['PLUGBOARD_FULL'])(
  'a prompt beside a stdin that nobody writes to is asked after a while, and the open stdin keeps nothing alive',
  async () => {
    const { env } = await promptScene([say('Fine.')]);
    const { child, ended } = start(['-p', 'go'], env);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: 'Fine.\n',
      stderr: expect.stringContaining('nothing came on stdin within 3 s'),
    });
    expect(child.stdin!.writableEnded).toBe(false);
  },
);

test.runIf(process.env['PLUGBOARD_FULL'])(
  'servers and the prompt may come down the same pipe, one after the other',
  async () => {
    const { env } = await promptScene([say('Fine.')]);
    const { child, ended } = start(['-p', 'go', '--mcp-config', '-'], env);
    child.stdin!.end('{ "mcpServers": {} }');
    expect(await ended).toEqual({ code: 0, stdout: 'Fine.\n', stderr: '' });
  },
);
