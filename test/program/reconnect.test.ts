import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import type { ServerChange } from '../../src/host/host-events.js';
import { FAR_MS } from './late-clock.js';
import { journaling, openGate, openGuarded, scripted, startsOf, steady } from './live-servers.js';
import { makeSandbox, PROJECT_FILE, type Run, type Sandbox, USER_FILE } from './sandbox.js';

const ALONE = 'No running host has this server\n';

async function check(servers: object, args: readonly string[], expected: Partial<Run>): Promise<void> {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: servers } });
  const run = await sandbox.run(['reconnect', ...args]);
  const { code, stderr } = run;
  expect({ code, stdout: steady(run), stderr }).toEqual({ stderr: ALONE, ...expected });
}

test('reconnect connects once and says how it is', () =>
  check({ a: journaling() }, ['a'], {
    code: 0,
    stdout: 'a: node SERVERS/journal-server.mjs - ✔ connected (5 tools, 2 resources, 1 prompt, 2025-11-25, N ms)\n',
  }));

test('reconnect of a server that fails says why, and exits 1', () =>
  check({ a: scripted("console.error('Error: no key'); process.exit(3)") }, ['a'], {
    code: 1,
    stdout: `a: node -e "console.error('Error: no key'); process.exit(3)" - ✘ failed: exited with code 3 before it answered initialize
    | Error: no key
    → plugboard doctor a
`,
  }));

test('reconnect of a server that wants a sign-in exits 4', async () => {
  const url = await openGuarded();
  await check({ a: { url } }, ['a'], {
    code: 4,
    stdout: `a: ${url} (HTTP) - ! needs sign-in: answered HTTP 401\n    → plugboard login a\n`,
  });
});

test('reconnect of a server that does not answer in time exits 124', async () => {
  const { entry, received } = openGate({ isShut: true });
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { a: entry } } });
  const { code, stdout } = await sandbox.run(['reconnect', 'a', '--timeout', FAR_MS], { late: { at: received } });
  expect([code, stdout]).toEqual([124, expect.stringMatching(/^a: .* - ✘ failed: did not .* within .*20000 ms\n/u)]);
});

test.each<[readonly string[], number, string]>([
  [['off'], 1, 'error: Server "off" is disabled\n  → plugboard enable off\n'],
  [['shared'], 5, 'error: Server "shared" comes from this project and is not approved\n  → plugboard approve shared\n'],
  [['of'], 1, 'error: No MCP server named "of". Configured servers: shared, off\n  → Did you mean "off"?\n'],
  [[], 2, 'error: reconnect takes one server name, got 0\n  → plugboard reconnect NAME\n'],
])('reconnect %j explains why it cannot', async (args, code, stderr) => {
  const sandbox = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { shared: { command: 'x' } } },
    [USER_FILE]: { mcpServers: { off: { command: 'x', disabled: true } } },
  });
  const run = await sandbox.run(['reconnect', ...args]);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
});

test('what was known of it is forgotten first', async () => {
  const sandbox = makeSandbox();
  const state = join(sandbox.root, 'grown.txt');
  // Two tools at the first start, one later, both under the same server version.
  const script = `const fs = require('fs'), first = !fs.existsSync(${JSON.stringify(state)}); fs.writeFileSync(${JSON.stringify(state)}, '');
    const tool = (name) => ({ name, inputSchema: { type: 'object' } });
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = { initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
        'tools/list': { tools: first ? [tool('a'), tool('b')] : [tool('a')] } }[method];
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }));
    })`;
  sandbox.write(USER_FILE, { mcpServers: { a: scripted(script, { start: 'lazy' }) } });
  expect((await sandbox.run(['reconnect', 'a'])).stdout).toContain('(2 tools, ');
  expect((await sandbox.run(['list'])).stdout).toMatch(/^○ a +idle .* 2 +0 +0 +–$/mu);
  expect((await sandbox.run(['reconnect', 'a'])).stdout).toContain('(1 tool, ');
  expect((await sandbox.run(['list'])).stdout).toMatch(/^○ a +idle .* 1 +0 +0 +–$/mu);
});

interface Watched {
  readonly until: (isIt: (change: ServerChange) => boolean) => Promise<void>;
}

async function openHost({ home, project, managed }: Sandbox): Promise<Watched> {
  const host = await Host.open({
    cwd: project,
    env: { HOME: home, PATH: process.env['PATH'] },
    managedDirectories: [managed],
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  await host.settled();
  return {
    until: (isIt) =>
      new Promise((done) => {
        host.on('server', (change) => isIt(change) && done());
      }),
  };
}

const isBack = ({ name, before, after }: ServerChange): boolean =>
  name === 'a' && before === 'pending' && after === 'connected';

test('hosts that run reconnect, too: those that have this very server', async () => {
  const sandbox = makeSandbox();
  const starts = startsOf(sandbox);
  sandbox.write(USER_FILE, { mcpServers: { a: journaling({ STARTS: starts.file }), b: journaling() } });
  const [one, two] = await Promise.all([openHost(sandbox), openHost(sandbox)]);
  expect(starts.count()).toBe(2);
  const back = [one.until(isBack), two.until(isBack)];
  const { json } = await sandbox.run(['reconnect', 'a', '--json']);
  expect(json?.data).toMatchObject({
    name: 'a',
    status: 'connected',
    hosts: [
      { pid: process.pid, outcome: 'done' },
      { pid: process.pid, outcome: 'done' },
    ],
  });
  await Promise.all(back);
  expect(starts.count()).toBe(5);
  const { stderr } = await sandbox.run(['reconnect', 'a', '--mcp-server', `a=${JSON.stringify(journaling())}`]);
  expect(stderr).toBe(ALONE);
});
