// F26 and F27: a server that forks or allocates beyond the limits of its sandbox harms itself alone.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HostError } from '../../src/base/errors.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection } from '../../src/connection/connect.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { findCgroup, readCgroupTexts } from '../../src/edge/sandbox/cgroup-place.js';
import { noLimits } from '../../src/edge/sandbox/sandbox-fixtures.js';
import type { SandboxSettings } from '../../src/edge/sandbox/sandbox.js';
import { DIAGNOSED } from '../wait-limits.js';

const missing = await noLimits();

/** Tools: `echo`; `fork`, which starts as many processes as it may; `allocate`, which takes all memory that it gets. */
const GREEDY = `
  const { spawn } = require('node:child_process');
  const tools = {
    echo: () => 'here',
    async fork({ count }) {
      let started = 0; let refused = '';
      const children = [];
      for (let index = 0; index < count; index++) {
        const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
        const code = await new Promise((done) => child.once('spawn', () => done('')).once('error', (error) => done(error.code)));
        refused ||= code;
        if (child.pid) { started++; children.push(child); }
      }
      for (const child of children) child.kill('SIGKILL');
      return JSON.stringify({ started, refused });
    },
    allocate() {
      const kept = [];
      for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
    },
  };
  const greet = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const call = async () => ({ content: [{ type: 'text', text: await tools[params.name](params.arguments) }] });
    const answer = method === 'initialize' ? { result: greet } : method === 'tools/call' ? { result: await call() }
      : { error: { code: -32601, message: 'no' } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });`;

interface Scene extends AsyncDisposable {
  connect(name: string, sandbox: SandboxSettings, argv?: readonly string[]): Promise<Connection>;
}

function openScene(): Scene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-limits-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'], HOME: folder };
  const connectionFactory = new ConnectionFactory({
    env,
    platform: process.platform,
    cwd: folder,
    state: join(folder, 'state'),
  });
  return {
    connect: (name, sandbox, argv = [process.execPath, '-e', GREEDY]) => {
      const [command = '', ...args] = argv;
      const config = { type: 'stdio', command, args, env: {}, sandbox } as const;
      return connectionFactory.connect({ name, config });
    },
    [Symbol.asyncDispose]: () => connectionFactory[Symbol.asyncDispose](),
  };
}

async function ask(
  connection: Connection,
  tool: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { content } = await callTool(connection, { tool, input: { ...input } });
  return (content[0] as { text: string }).text;
}

/** Control groups that this process has made and not removed. */
function groupsLeft(): readonly string[] {
  const places = (['memory', 'pids'] as const).map((controller) => findCgroup(controller, readCgroupTexts())!);
  return places.flatMap(({ folder }) =>
    readdirSync(folder).filter((name) => name.startsWith(`plugboard-${process.pid}-`)),
  );
}

describe.skipIf(missing !== undefined)(`limits of a sandbox${missing === undefined ? '' : ` (${missing})`}`, () => {
  test('F26: a server that forks without end gets EAGAIN, and neither the host nor its neighbour notices', async () => {
    await using scene = openScene();
    const [greedy, healthy] = await Promise.all([
      scene.connect('greedy', { processes: 40 }),
      scene.connect('healthy', {}),
    ]);
    const { started, refused } = JSON.parse(await ask(greedy, 'fork', { count: 60 })) as Record<string, unknown>;
    expect(refused).toBe('EAGAIN');
    expect(started).toBeLessThan(40);
    expect(started).toBeGreaterThan(10);
    expect(await Promise.all([ask(greedy, 'echo'), ask(healthy, 'echo')])).toEqual(['here', 'here']);
    expect(groupsLeft()).toHaveLength(1);
    await greedy[Symbol.asyncDispose]();
    expect(groupsLeft()).toEqual([]);
  });

  test('F27: a server that passes its memory is killed and said to be, and its neighbour goes on', async () => {
    await using scene = openScene();
    const [greedy, healthy] = await Promise.all([
      scene.connect('greedy', { memoryMb: 128 }),
      scene.connect('healthy', { memoryMb: 128 }),
    ]);
    const error = (await ask(greedy, 'allocate').catch((reason: unknown) => reason)) as HostError;
    expect(error.code).toBe('connection-closed');
    expect(error.message).toContain('Server "greedy" was ended by SIGKILL: it passed its limit of 128 MB of memory');
    expect(error.hint).toContain('memoryMb');
    expect(await ask(healthy, 'echo')).toBe('here');
    const wrapped = ['/bin/sh', '-c', '"$@"; exit 9', 'sh', process.execPath, '-e', GREEDY];
    const started = await scene.connect('npx', { memoryMb: 128 }, wrapped);
    const other = (await ask(started, 'allocate').catch((reason: unknown) => reason)) as HostError;
    expect(other.message).toContain('Server "npx" exited with code 9: it passed its limit of 128 MB of memory');
    const again = await scene.connect('greedy', { memoryMb: 128 });
    expect(await ask(again, 'echo')).toBe('here');
    await Promise.all([again, healthy].map((connection) => connection[Symbol.asyncDispose]()));
    await vi.waitFor(() => expect(groupsLeft()).toEqual([]), DIAGNOSED);
  });
});
