import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAR_MS } from './late-clock.js';
import { openGate } from './live-servers.js';
import { makeSandbox, PROJECT_FILE, USER_FILE, POLICY_FILE, LOCK_FILE } from './sandbox.js';

const server = join(import.meta.dirname, 'tool-server.mjs');
const given = ['--', process.execPath, server];
const configured = { command: process.execPath, args: [server] };

test('the tools of a command that is configured nowhere are shown by name', async () => {
  const { code, stdout, stderr } = await makeSandbox().run(['tools', ...given]);
  expect(code).toBe(0);
  expect(stdout).toContain('tool-server: 11 tools (protocol 2025-06-18)');
  expect(stdout).toContain(
    '\n  add(a: number, b?: number, list?: unknown[], on?: boolean)\n      Adds two numbers\n  fail(as?: unknown)\n',
  );
  expect(stderr).toContain('tool "broken" is set aside: its inputSchema is no object');
});

test('--schema prints the schemas as JSON, with nothing in them that a terminal would obey', async () => {
  const { code, stdout } = await makeSandbox().run(['tools', '--schema', ...given]);
  expect(code).toBe(0);
  const schemas = JSON.parse(stdout) as { tool: string }[];
  expect(schemas.map(({ tool }) => tool)).toContain('liar');
  expect(schemas.find(({ tool }) => tool === 'echo')).toEqual({
    server: 'tool-server',
    tool: 'echo',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  });
});

test('as JSON every tool has its name, its schema untouched, its hints and its price', async () => {
  const { json } = await makeSandbox().run(['tools', '--json', ...given]);
  const { tools, setAside, errors } = json!.data as { tools: { tool: string }[]; setAside: unknown; errors: unknown };
  expect(tools.find(({ tool }) => tool === 'add')).toMatchObject({
    name: 'mcp__tool-server__add',
    server: 'tool-server',
    title: 'Sum',
    inputSchema: { type: 'object', required: ['a'] },
    hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    load: 'always',
    tokens: expect.any(Number) as number,
  });
  expect(setAside).toEqual([{ server: 'tool-server', tool: 'broken', reason: 'its inputSchema is no object' }]);
  expect(errors).toEqual([]);
});

test('of several servers one that fails is missing, and said to be; the others are there', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: {
      mcpServers: { good: configured, bad: { command: process.execPath, args: ['-e', 'process.exit(3)'] } },
    },
  });
  const { code, stdout, stderr } = await sandbox.run(['tools']);
  expect(code).toBe(0);
  expect(stdout).toContain('good: 11 tools');
  expect(stderr).toContain('error: Server "bad" exited with code 3');
  const { json } = await sandbox.run(['tools', '--json']);
  expect(json!.data!['errors']).toMatchObject([{ server: 'bad', code: 'connection-closed' }]);
});

test('one server alone that fails is the answer, with its last words', async () => {
  const { code, stderr, stdout } = await makeSandbox().run([
    'tools',
    '--',
    process.execPath,
    '-e',
    'console.error("no database\\nat port 5432"); process.exit(3)',
  ]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /exited with code 3 before it answered initialize\n {2}the server said on stderr:\n {4}no database\n {4}at port 5432/u,
  );
});

test.each([
  ['a command that is not there', ['--', 'no-such-command'], 'start-failed', 1],
  ['a port where nobody listens', ['http://127.0.0.1:59999/mcp'], 'connect-failed', 1],
  ['no such server', ['nowhere'], 'unknown-server', 1],
  ['two servers', ['a', 'b'], 'usage', 2],
])('%s is told by name', async (_, words, code, exit) => {
  const run = await makeSandbox().run(['tools', '--json', ...words]);
  expect(run.json).toMatchObject({ ok: false, error: { code, hint: expect.stringMatching(/./u) as string } });
  expect(run.code).toBe(exit);
});

test('a server of the project starts only once it is approved', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { tools: configured } } });
  const refused = await sandbox.run(['tools', 'tools']);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('plugboard approve tools');
  const none = await sandbox.run(['tools', '--json']);
  expect(none.json!.data!['tools']).toEqual([]);
  const flagged = await sandbox.run(['tools', 'tools', '--approve-project-servers']);
  expect(flagged.code).toBe(0);
});

test('what policy denies and what an administrator locks holds for a command behind -- as well', async () => {
  const denied = makeSandbox({ [POLICY_FILE]: { deniedMcpServers: [{ serverCommand: [process.execPath, '*'] }] } });
  expect((await denied.run(['tools', ...given])).code).toBe(5);
  const locked = makeSandbox({ [LOCK_FILE]: { mcpServers: {} } });
  expect((await locked.run(['tools', ...given])).code).toBe(5);
});

test('noise on stdout is reported with the offending line and breaks nothing', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { noisy: { ...configured, env: { NOISE: 'Loading \u001B[1mmodel' } } } },
  });
  const { code, stderr } = await sandbox.run(['tools', 'noisy']);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: "noisy" prints lines that are not messages; the first: Loading model');
});

test('--timeout ends the wait for a server that never answers, with exit code 124', async () => {
  const { entry, received } = openGate({ isShut: true });
  const words = ['tools', '--timeout', FAR_MS, '--mcp-server', `a=${JSON.stringify(entry)}`, 'a'];
  const { code, stderr } = await makeSandbox().run(words, { late: { at: received } });
  expect(code).toBe(124);
  expect(stderr).toContain(`${FAR_MS} ms`);
});
