import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HeldClock } from '../held-clock.js';
import { openGate, scripted } from './live-servers.js';
import { makeSandbox, type Run, type Sandbox, USER_FILE } from './sandbox.js';

const docs = { command: process.execPath, args: [join(import.meta.dirname, '../offers/odd-server.mjs')] };
const tools = { command: process.execPath, args: [join(import.meta.dirname, 'tool-server.mjs')] };

const OTHERS = /silent|hanging|Connecting/u;

interface Slow {
  readonly entry: object;
  readonly isStarted: () => boolean;
}

/** A process that never answers initialize, and leaves a mark when it starts. */
function openSilent({ root }: Sandbox, name = 'silent'): Slow {
  const mark = join(root, `${name}-started`);
  const script = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); process.stdin.resume()`;
  return { entry: scripted(script), isStarted: () => existsSync(mark) };
}

/** An HTTP server that takes every request and never answers. */
async function openHanging(): Promise<Slow> {
  let requests = 0;
  const server = createServer(() => void requests++);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { entry: { url: `http://127.0.0.1:${port}/mcp` }, isStarted: () => requests > 0 };
}

interface Beside {
  readonly sandbox: Sandbox;
  readonly slow: readonly Slow[];
  /** Runs with a clock on which no wait of a second or more ever ends. */
  readonly run: (...args: readonly string[]) => Promise<Run>;
}

/** Quick servers beside a process and an HTTP server that never answer. */
async function besideSlow(quick: object): Promise<Beside> {
  const sandbox = makeSandbox();
  const slow = [openSilent(sandbox), await openHanging()];
  sandbox.write(USER_FILE, { mcpServers: { silent: slow[0]!.entry, hanging: slow[1]!.entry, ...quick } });
  return { sandbox, slow, run: (...args) => sandbox.run(args, { clock: new HeldClock(1_000) }) };
}

async function remember({ run }: Beside, ...servers: readonly string[]): Promise<void> {
  for (const server of servers) expect((await run('tools', server)).code).toBe(0);
}

test.each([
  ['call', 'tools.echo', 'text=x'],
  ['call', 'mcp__tools__echo', 'text=x'],
  ['read', 'docs', 'odd://text'],
  ['prompt', 'docs.say', 'what=x'],
  ['prompt', '/mcp__docs__say', 'what=x'],
])('%s %s starts its own server alone, known or not', async (...words) => {
  const beside = await besideSlow({ tools, docs });
  for (const _ of ['unknown', 'known']) {
    const { code, stderr } = await beside.run(...words);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(OTHERS)]);
  }
  expect(beside.slow.map(({ isStarted }) => isStarted())).toEqual([false, false]);
});

test.each([
  ['call', 'echo', 'text=x'],
  ['prompt', 'say', 'what=x'],
])('%s %s without a server is enough for what is known of an earlier run', async (...words) => {
  const beside = await besideSlow({ tools, docs });
  await remember(beside, 'tools', 'docs');
  const { code, stderr } = await beside.run(...words);
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(OTHERS)]);
  expect(beside.slow.map(({ isStarted }) => isStarted())).toEqual([false, false]);
});

test('a name that several servers are known to have is asked about before a server is started', async () => {
  const beside = await besideSlow({ tools, more: tools });
  await remember(beside, 'tools', 'more');
  const { code, stderr } = await beside.run('call', 'echo');
  expect([code, stderr]).toEqual([
    1,
    'error: 2 servers have a tool "echo"\n  → Say which one you mean: tools.echo or more.echo\n',
  ]);
});

test('a name that no server is known to have is asked of the others, and the missing are named', async () => {
  const sandbox = makeSandbox();
  const silent = openSilent(sandbox);
  const gone = { command: 'no-such-program' };
  sandbox.write(USER_FILE, { mcpServers: { tools, gone, silent: { ...silent.entry, startTimeout: 5_000 } } });
  const call = async (...words: readonly string[]): Promise<Run> => {
    const clock = new HeldClock(1_000);
    const running = sandbox.run(['call', ...words], { clock });
    await clock.lapse(5_000);
    return running;
  };
  const { code, stdout, stderr } = await call('echo', 'text=x');
  expect([code, stdout]).toEqual([0, '{"text":"x"}\n']);
  expect(stderr).toMatch(
    /^warning: not asked for a tool "echo": "gone" \(cannot be started.*\), "silent" \(did not .*5000 ms.*\)\n$/u,
  );
  const unknown = await call('ecoh');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: Server "tools" has no tool "ecoh"; not asked: "gone".*"silent".*\n {2}→ Did you mean tools\.echo\?\n$/u,
    ),
  ]);
});

test.each<[words: readonly string[], isKnown: boolean, told: string]>([
  [
    ['tools', 'echo', 'text=x'],
    false,
    'error: tools is a server; did you mean tools.echo?\n  → plugboard call tools.echo ...\n',
  ],
  [['tools', 'ecoh'], false, 'error: tools is a server; did you mean tools.ecoh?\n  → plugboard call tools.ecoh\n'],
  [['tools', 'ecoh'], true, 'error: tools is a server; did you mean tools.echo?\n  → plugboard call tools.echo\n'],
  [
    ['tools', 'zzz'],
    true,
    'error: tools is a server, and has no tool "zzz"\n  → List its tools: plugboard tools tools\n',
  ],
  [
    ['tools'],
    false,
    'error: tools is a server; write its name and a tool: tools.TOOL\n  → List its tools: plugboard tools tools\n',
  ],
  [
    ['tools', 'text=x'],
    false,
    'error: tools is a server; write its name and a tool: tools.TOOL\n  → List its tools: plugboard tools tools\n',
  ],
  [['silent', 'add'], false, 'error: silent is a server; did you mean silent.add?\n  → plugboard call silent.add\n'],
])('call %j, whose tools are known: %j, is answered before a server is started', async (words, isKnown, told) => {
  const beside = await besideSlow({ tools });
  if (isKnown) await remember(beside, 'tools');
  const { code, stdout, stderr } = await beside.run('call', ...words);
  expect([code, stdout, stderr]).toEqual([2, '', told]);
  expect(beside.slow.map(({ isStarted }) => isStarted())).toEqual([false, false]);
});

test('a server’s name alone lists its known tools, and a known tool of that name is called', async () => {
  const beside = await besideSlow({ tools, echo: openGate().entry, die: openGate().entry });
  await remember(beside, 'tools', 'die');
  const named = await beside.run('call', 'tools');
  expect([named.code, named.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: tools is a server; .*\n {2}→ Some of its tools: (?:tools\.\S+, ){4}tools\.\S+\n$/u),
  ]);
  // A tool of the server `tools` and a server are both called `die`.
  expect((await beside.run('call', 'die')).stderr).toContain('Server "tools" exited with code 7');
});

test.each([
  ['tools.ech', 'tools.echo'],
  ['tools.pctr', 'tools.picture'],
  ['tools.lrge', 'tools.large'],
])('call %s suggests %s', async (word, meant) => {
  const { run } = await besideSlow({ tools });
  const { code, stderr } = await run('call', word);
  expect([code, stderr]).toEqual([
    1,
    `error: Server "tools" has no tool "${word.slice(6)}"\n  → Did you mean ${meant}?\n`,
  ]);
});

test('whoever stops waiting for the others is told how to call without them', async () => {
  const [quick, shut] = [openGate(), openGate({ isShut: true })];
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { quick: quick.entry, slow: shut.entry } } });
  const at = (): Promise<unknown> => Promise.all([quick.received('took tools/list'), shut.received()]);
  const abort = new AbortController();
  const running = sandbox.run(['call', 'echo'], { clock: new HeldClock(1_000), interrupted: abort.signal });
  await at();
  abort.abort();
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([
    130,
    'error: Stopped while waiting for "slow"\n  → Name its server to wait for no other: plugboard call quick.echo\n',
  ]);
});
