import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { EmbeddedServer } from '../../src/transports/kind.js';
import { embedOldSdk, embedSdk } from '../contract/servers/sdk-in-process.js';
import { behave, Embedder, type EmbedderOptions } from '../embedder.js';
import { copyProgram, type Envelope, makeSandbox, NOW } from './sandbox.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-sdk-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const toolServer = join(import.meta.dirname, 'tool-server.mjs');
const sdk = (name: string): string[] => ['--mcp-server', `${name}=${JSON.stringify({ type: 'sdk', name })}`];

/** The program, started by an embedder that serves it. The embedder fails on any line that is not JSON. */
interface Embedded {
  readonly child: ChildProcess;
  readonly embedder: Embedder;
  /** The exit code, stderr and the last line, which is the envelope. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string; readonly envelope: Envelope }>;
}

type Serving = Omit<EmbedderOptions, 'input' | 'output'>;

function start(args: readonly string[], serving: Serving = {}): Embedded {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(home, '.git'));
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const embedder = new Embedder({ input: child.stdout, output: child.stdin, ...serving });
  const ended = Promise.all([exited, embedder.ended]).then(([[code]]) => ({
    code,
    stderr,
    envelope: embedder.others.at(-1) as unknown as Envelope,
  }));
  return { child, embedder, ended };
}

const generations: readonly (readonly [string, EmbeddedServer['connect']])[] = [
  ['second', (end) => embedSdk({}).connect(end)],
  ['first', (end) => embedOldSdk().connect(end)],
];

test.each(generations)(
  'the tools of a server in the embedding program are listed and called: official SDK, %s generation',
  async (_, connect) => {
    const listed = await start(['tools', '--json', ...sdk('calc')], { servers: { calc: connect } }).ended;
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    const { tools } = listed.envelope.data as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('mcp__calc__add');

    const { embedder, ended } = start(['call', 'calc.add', 'a:=2', 'b:=3', '--json', ...sdk('calc')], {
      servers: { calc: connect },
    });
    const { code, envelope } = await ended;
    expect([code, envelope]).toMatchObject([
      0,
      { ok: true, data: { name: 'mcp__calc__add', outcome: 'ok', content: [{ type: 'text', text: '5' }] } },
    ]);
    // The program prints only control messages and, after them, the envelope.
    expect(embedder.others).toEqual([envelope]);
    expect(new Set(embedder.requests.map(({ request }) => request.server_name))).toEqual(new Set(['calc']));
  },
);

test.each(generations)('a server may ask the host in the middle of a call: %s generation', async (_, connect) => {
  const words = ['call', 'calc.ask', 'method=ping', '--json', ...sdk('calc')];
  const { embedder, ended } = start(words, { servers: { calc: connect } });
  const { code, envelope } = await ended;
  expect([code, envelope.data]).toMatchObject([0, { content: [{ text: '{"result":{}}' }] }]);
  expect(embedder.others.slice(0, -1)).toMatchObject([{ type: 'control_response', response: { subtype: 'success' } }]);
});

test('the embedding program knows a server by the name of its entry, as published agent SDKs do', async () => {
  const words = ['tools', '--json', '--mcp-server', 'x={"type":"sdk","name":"calc"}'];
  const { embedder, ended } = start(words, { servers: { x: generations[0]![1] } });
  expect((await ended).code).toBe(0);
  expect(new Set(embedder.requests.map(({ request }) => request.server_name))).toEqual(new Set(['x']));
});

test('servers of every kind work side by side', async () => {
  const [[, second], [, first]] = generations as [(typeof generations)[0], (typeof generations)[0]];
  const third = JSON.stringify({ command: process.execPath, args: [toolServer] });
  const words = ['tools', '--json', ...sdk('one'), ...sdk('two'), '--mcp-server', `three=${third}`];
  const { envelope, code } = await start(words, { servers: { one: first, two: second } }).ended;
  const { tools, errors } = envelope.data as { tools: { server: string }[]; errors: unknown[] };
  expect([code, errors]).toEqual([0, []]);
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(['one', 'two', 'three']));
});

test('an argument and an answer of two megabytes each pass', async () => {
  const text = 'x'.repeat(2_000_000);
  const file = join(root, 'large.json');
  writeFileSync(file, JSON.stringify({ text }));
  const words = ['call', 'calc.echo', '--args', `@${file}`, '--full', '--json', ...sdk('calc')];
  const { envelope } = await start(words, { servers: { calc: generations[0]![1] } }).ended;
  const { content } = envelope.data as { content: { text: string }[] };
  expect(content[0]!.text === text).toBe(true);
});

test('a name that the embedding program does not serve is an error that says so', async () => {
  const { code, envelope } = await start(['tools', 'calc', '--json', ...sdk('calc')], { servers: {} }).ended;
  expect([code, envelope.error]).toMatchObject([
    1,
    { code: 'server-error', message: expect.stringContaining(`Server 'calc' not found`) },
  ]);
});

test.each([[['tools', ...sdk('calc')]], [['tools', 'calc', ...sdk('calc')]], [['call', 'calc.add', ...sdk('calc')]]])(
  'without --json it is refused as usage, and stdout stays empty: %j',
  async (words) => {
    const { ended, embedder } = start(words, { servers: {} });
    const { code, stderr } = await ended;
    expect([code, embedder.requests, embedder.others]).toEqual([2, [], []]);
    expect(stderr).toContain('error: server "calc" is served over stdout');
    expect(stderr).toContain('with --json');
  },
);

test('on a terminal there is nobody to serve it', async () => {
  const sandbox = makeSandbox();
  let stdout = '';
  const io = {
    env: { HOME: sandbox.home },
    stdout: { isTerminal: false, columns: 80, write: (text: string) => void (stdout += text) },
    stderr: { isTerminal: false, columns: 80, write: () => {} },
    stdin: { isTerminal: true, read: never, ask: never, askSecret: never },
    now: () => NOW,
    config: { managedDirectories: [sandbox.managed], platform: 'linux' as const },
  };
  const words = ['tools', '--json', '--cwd', sandbox.project, ...sdk('calc')];
  expect(await run(words, { ...io, openControl: never })).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'usage', message: expect.stringContaining('server "calc" is served by the program that starts') },
  });

  stdout = '';
  expect(await run(words, io)).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    data: { errors: [{ server: 'calc', code: 'start-failed', message: expect.stringContaining('"calc"') }] },
  });
});

function never(): never {
  throw new Error('a terminal is not read, and nobody is asked');
}

test('a program that goes away during a call leaves an outcome that is unknown, and no process', async () => {
  const { child, embedder, ended } = start(['call', 'calc.add', '--json', ...sdk('calc')], {
    onRequest: (request) =>
      request.request.message['method'] === 'tools/call' ? true : listAndBehave(() => embedder)(request),
  });
  await embedder.asked('tools/call');
  child.stdin!.end();
  const { code, envelope } = await ended;
  expect([code, envelope.data]).toMatchObject([
    1,
    {
      outcome: 'unknown',
      error: {
        code: 'connection-closed',
        message: expect.stringMatching(/"calc" was lost .*: the embedding program closed its end/u),
      },
    },
  ]);
});

test('a program that never answers is waited for as long as --timeout says, and its open stdin keeps nothing alive', async () => {
  const silent = start(['tools', 'calc', '--json', '--timeout', '1500', ...sdk('calc')], { onRequest: () => true });
  const { code, envelope } = await silent.ended;
  expect([code, envelope.error]).toMatchObject([124, { message: expect.stringContaining('calc') }]);
  expect(silent.child.stdin!.writableEnded).toBe(false);
});

test('a program that stops to read delays no deadline, and still gets whole lines, the envelope last', async () => {
  const file = join(root, 'unread.json');
  writeFileSync(file, JSON.stringify({ text: 'x'.repeat(2_000_000) }));
  const began = performance.now();
  expect((await start(['tools', '--json', ...sdk('calc')], { servers: { calc: generations[0]![1] } }).ended).code).toBe(
    0,
  );
  // Several times what this machine needs to reach a call.
  const timeoutMs = String(Math.max(1_500, Math.ceil((performance.now() - began) * 5)));
  const words = ['call', 'calc.add', '--args', `@${file}`, '--json', '--timeout', timeoutMs, ...sdk('calc')];
  const { child, embedder, ended } = start(words, {
    onRequest: (request) => {
      const { id, method } = request.request.message;
      if (method === 'tools/call') return true;
      if (method !== 'tools/list') return behave(() => embedder)(request);
      child.stdout!.pause();
      const tools = [{ name: 'add', inputSchema: { type: 'object', $ref: '#/nowhere' } }];
      embedder.answer(request, { jsonrpc: '2.0', id, result: { tools } });
      return true;
    },
  });
  // The note about the arguments comes before the call.
  const [told] = (await once(child.stderr!, 'data')) as [string];
  expect(told).toContain('were not checked');
  expect(embedder.requests.some(({ request }) => request.message['method'] === 'tools/call')).toBe(false);
  child.stdout!.resume();
  const { code, envelope } = await ended;
  expect([code, envelope.data]).toMatchObject([124, { outcome: 'unknown', error: { code: 'call-timeout' } }]);
  const { request } = await embedder.asked('tools/call');
  expect(request.message['params']).toMatchObject({ arguments: { text: expect.stringMatching(/^x{2000000}$/u) } });
});

test('what else comes on stdin is told once, and harms nothing', async () => {
  const { embedder, ended } = start(['call', 'calc.add', '--json', ...sdk('calc')], {
    onRequest: (request) => listAndBehave(() => embedder)(request),
  });
  embedder.raw(`good morning\n${JSON.stringify({ type: 'user', message: 'hello' })}\n`);
  const { code, stderr, envelope } = await ended;
  expect([code, envelope.ok]).toEqual([0, true]);
  expect(stderr).toBe('warning: stdin has a line that is not a control message: good morning\n');
});

test('a recording has what passed, and neither envelopes nor ids of them', async () => {
  const file = join(root, 'recorded.jsonl');
  const { embedder, ended } = start(['call', 'calc.add', '--json', '--record', file, ...sdk('calc')], {
    onRequest: (request) => listAndBehave(() => embedder)(request),
  });
  expect((await ended).code).toBe(0);
  const recorded = readFileSync(file, 'utf8');
  expect(recorded).toContain('"method":"tools/call"');
  expect(recorded).not.toContain('control_request');
});

/** Serves one tool, `add`, whose result is empty. */
function listAndBehave(embedder: () => Embedder): NonNullable<Serving['onRequest']> {
  return (request) => {
    const { id, method } = request.request.message;
    const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
    if (method === 'tools/list') embedder().answer(request, { jsonrpc: '2.0', id, result: { tools } });
    else if (method === 'tools/call') embedder().answer(request, { jsonrpc: '2.0', id, result: { content: [] } });
    else return behave(embedder)(request);
    return true;
  };
}
