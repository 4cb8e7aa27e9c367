import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.js';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { Connection, ConnectOptions } from '../../src/connection/connect.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import type { ServerConfig } from '../../src/transports/kinds.js';

const FILE = fileURLToPath(new URL('sdk-modern.mjs', import.meta.url));
const connectionFactory = new ConnectionFactory({
  env: process.env,
  platform: process.platform,
  cwd: '/',
  state: undefined,
});
const children: ChildProcess[] = [];

afterAll(async () => {
  await connectionFactory[Symbol.asyncDispose]();
  for (const child of children) child.kill('SIGKILL');
});

async function overHttp(): Promise<ServerConfig> {
  const child = spawn(process.execPath, [FILE], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (bytes: Buffer) => resolve(String(bytes).trim())),
  );
  return { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} };
}

const overStdio = (legacy = 'reject'): ServerConfig => ({
  type: 'stdio',
  command: process.execPath,
  args: [FILE],
  env: { LEGACY: new Secret(legacy) },
});

const open = (config: ServerConfig, options: Omit<ConnectOptions, 'config' | 'context'> = {}): Promise<Connection> =>
  connectionFactory.connect({ name: 'modern', config }, options);

const textOf = ({ content }: { readonly content: readonly object[] }): unknown => (content[0] as { text: string }).text;

describe.each([
  ['stdio', async () => overStdio()],
  ['http', overHttp],
])('the SDK server of 2026-07-28 over %s', (context, configure) => {
  const config = configure();

  test('is found to be modern, tells what it is, and answers calls', async () => {
    await using connection = await open(await config);
    const { session } = connection;
    expect(session).toMatchObject({
      era: 'modern',
      version: '2026-07-28',
      server: { name: 'modern-fixture', version: '1.0' },
      instructions: 'Be kind.',
    });
    const { tools } = await listTools(connection);
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(textOf(await callTool(connection, { tool: 'echo', input: { message: 'hi' } }))).toBe('{"message":"hi"}');
  });

  test('gets the headers that its tools ask for, also when they were not listed before', async () => {
    await using connection = await open(await config);
    const call = { tool: 'region', input: { region: ' Köln ' } };
    expect(textOf(await callTool(connection, call))).toBe('{"region":" Köln "}');
  });

  test('asks in return, and gets its state back to the byte', async () => {
    await using connection = await open(await config, {
      capabilities: { elicitation: { form: {} } },
      handlers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }) },
    });
    const answer = JSON.parse(String(textOf(await callTool(connection, { tool: 'ask', input: {} })))) as object;
    expect(answer).toEqual({ answer: { action: 'accept', content: { name: 'Ada' } }, isExact: true });
  });

  test('is refused what this host has not declared', async () => {
    await using connection = await open(await config);
    await expect(callTool(connection, { tool: 'ask', input: {} })).rejects.toThrow(/elicitation/u);
  });

  test('shows its progress', async () => {
    await using connection = await open(await config);
    const seen: number[] = [];
    await callTool(connection, { tool: 'count', input: {} }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  test('tells that its tools have changed, to those who asked, and what was kept is asked for anew', async () => {
    const notes: string[] = [];
    let received: (() => void) | undefined;
    const changed = new Promise<void>((resolve) => (received = resolve));
    await using connection = await open(await config, {
      onNotification: (method) => {
        notes.push(method);
        received?.();
      },
    });
    await connection.session.watch({ lists: ['tools'] });
    const before = (await listTools(connection)).tools.length;
    await callTool(connection, { tool: 'grow', input: {} });
    await changed;
    expect(notes).toEqual(['notifications/tools/list_changed']);
    expect((await listTools(connection)).tools).toHaveLength(before + 1);
    await connection.session.watch({});
    expect(connection.peer.requests.size).toBe(0);
  });

  test(`is told over ${context} that nobody waits any more`, async () => {
    await using connection = await open(await config);
    const abort = new AbortController();
    const call = callTool(connection, { tool: 'echo', input: {} }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(textOf(await callTool(connection, { tool: 'echo', input: {} }))).toBe('{}');
  });
});

test('a server of both eras is spoken to in the new one, unless its entry says otherwise', async () => {
  await using modern = await open(overStdio('serve'));
  expect(modern.session.version).toBe('2026-07-28');
  await using legacy = await open({ ...overStdio('serve'), era: 'legacy' });
  expect(legacy.session.version).toBe('2025-11-25');
});

test('a server of the new era alone that is to be spoken to in the old one says which versions it takes', async () => {
  await expect(open({ ...overStdio('reject'), era: 'legacy' })).rejects.toThrow(/2025-11-25/u);
});
