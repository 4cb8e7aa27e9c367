import { expect, test } from 'vitest';
import { FAR_MS } from './late-clock.js';
import { journaling, openGate, openGuarded, scripted, silent, startsOf, steady } from './live-servers.js';
import { makeSandbox, USER_FILE } from './sandbox.js';

const HEADING = 'User config (available in all your projects): HOME/.config/plugboard/config.json';
const broken = scripted("console.error('reading the key'); console.error('Error: no key'); process.exit(3)");
const user = (mcpServers: object): Record<string, unknown> => ({ [USER_FILE]: { mcpServers } });

test('a list says of every server how it is, what it offers, why it failed and what to do', async () => {
  const guarded = await openGuarded();
  const sandbox = makeSandbox(
    user({
      good: journaling(),
      broken,
      gone: { command: 'no-such-program' },
      guarded: { url: guarded },
      off: { command: 'x', disabled: true },
      later: journaling({}, { start: 'lazy' }),
    }),
  );
  const run = await sandbox.run(['list']);
  expect([run.code, run.stderr]).toEqual([0, '']);
  // The width of the column of milliseconds follows the slowest server.
  const even = run.stdout.replaceAll(/ +(\d+|–|MS)(?=$|  pl|  NEXT)/gmu, ' $1').replaceAll(/(?<=2) \d+$/gmu, ' N');
  expect(even).toBe(`  NAME     STATE          TRANSPORT  SCOPE  PROTOCOL    TOOLS  PROMPTS  RESOURCES MS  NEXT
✔ good     connected      stdio      user   2025-11-25      5        1          2 N
✘ broken   failed         stdio      user   –               –        –          – –  plugboard doctor broken
✘ gone     failed         stdio      user   –               –        –          – –  plugboard doctor gone
! guarded  needs sign-in  http       user   –               –        –          – –  plugboard login guarded
○ off      disabled       stdio      user   –               –        –          – –  plugboard enable off
○ later    idle           stdio      user   –               –        –          – –

error: Server "broken" exited with code 3 before it answered initialize
  at HOME/.config/plugboard/config.json:11:7
  the server said on stderr:
    reading the key
    Error: no key
  → Run the server by hand: node -e 'console.error('\\''reading the key'\\''); console.error('\\''Error: no key'\\''); process.exit(3)'
error: "gone" cannot start: there is no program "no-such-program" on PATH
  at HOME/.config/plugboard/config.json:18:7
  → Install it, or write its full path, which your terminal knows: command -v no-such-program
note: "guarded" needs you to sign in
  → plugboard login guarded
`);
});

test('list --json has the counts, the protocol, the milliseconds, and the error with its last words', async () => {
  const { json, stderr } = await makeSandbox(user({ good: journaling(), broken })).run(['list', '--json']);
  const row = { scope: 'user', origin: 'HOME/.config/plugboard/config.json', transport: 'stdio' };
  expect(stderr).toBe('');
  expect(json?.data?.['servers']).toEqual([
    {
      ...row,
      name: 'good',
      status: 'connected',
      protocol: '2025-11-25',
      tools: 5,
      resources: 2,
      prompts: 1,
      ms: expect.any(Number) as number,
    },
    {
      ...row,
      name: 'broken',
      status: 'failed',
      protocol: null,
      tools: null,
      resources: null,
      prompts: null,
      ms: null,
      error: {
        code: 'connection-closed',
        message: 'Server "broken" exited with code 3 before it answered initialize',
        hint: 'It said: Error: no key',
        stderr: expect.stringContaining('Error: no key') as string,
      },
    },
  ]);
});

test.each<[string, object, number]>([
  ['every server answers', { a: journaling() }, 0],
  ['one is lazy', { a: journaling({}, { start: 'lazy' }) }, 0],
  ['one is disabled', { a: journaling(), b: { command: 'x', disabled: true } }, 0],
  ['one failed', { a: journaling(), b: broken }, 3],
])('list --exit-code when %s', async (_, servers, code) => {
  expect((await makeSandbox(user(servers)).run(['list', '--exit-code'])).code).toBe(code);
});

test('list --exit-code counts a server that wants a sign-in', async () => {
  const sandbox = makeSandbox(user({ a: { url: await openGuarded() } }));
  expect((await sandbox.run(['list', '--exit-code'])).code).toBe(3);
});

test('a list answers within --timeout, and tells who did not', async () => {
  const [good, shut] = [openGate(), openGate({ isShut: true })];
  const sandbox = makeSandbox(user({ good: good.entry, silent: shut.entry }));
  const told = ['took tools/list', 'took prompts/list'].map((what) => () => good.received(what));
  const at = (): Promise<unknown> => Promise.all([...told, shut.received].map((received) => received()));
  const run = await sandbox.run(['list', '--timeout', FAR_MS, '--exit-code'], { late: { at } });
  expect([run.code, run.stderr]).toEqual([3, expect.stringMatching(/^Connecting 1\/2: waiting for silent\n/u)]);
  expect(run.stdout).toMatch(/^✔ good +connected .* 1 +1 +0 +\d+\n✘ silent +failed .* plugboard doctor silent$/mu);
  expect(run.stdout).toMatch(/^error: Server "silent" did not (?:finish the handshake|answer) .*$/mu);
});

test('whoever presses Ctrl-C sees what is known so far', async () => {
  const abort = new AbortController();
  const sandbox = makeSandbox(user({ good: journaling(), silent }));
  // The line for the first server appears when that server has answered.
  const onStderr = (text: string): void => {
    if (text.includes('good connected')) setImmediate(() => abort.abort());
  };
  const run = await sandbox.run(['list', '--verbose'], { interrupted: abort.signal, onStderr });
  expect(run.code).toBe(130);
  expect(run.stdout).toMatch(/^✔ good +connected .*\n… silent +pending .*\n$/mu);
  expect(run.stderr).toContain('Stopped without waiting for the pending servers\n');
});

test('--no-connect starts nobody, and the next list knows the tools of a lazy server that was used', async () => {
  const sandbox = makeSandbox();
  const starts = startsOf(sandbox);
  sandbox.write(USER_FILE, { mcpServers: { a: journaling({ STARTS: starts.file }) } });
  await sandbox.run(['list', '--no-connect']);
  await sandbox.run(['get', 'a', '--no-connect']);
  expect(starts.count()).toBe(0);
  await sandbox.run(['list']);
  expect(starts.count()).toBe(1);
});

test('a lazy server is not started by a list or by get', async () => {
  const sandbox = makeSandbox();
  const starts = startsOf(sandbox);
  sandbox.write(USER_FILE, { mcpServers: { a: journaling({ STARTS: starts.file }, { start: 'lazy' }) } });
  await sandbox.run(['list']);
  await sandbox.run(['get', 'a']);
  expect(starts.count()).toBe(0);
  expect((await sandbox.run(['reconnect', 'a'])).code).toBe(0);
  expect((await sandbox.run(['list'])).stdout).toMatch(/^○ a +idle .* 5 +1 +2 +–$/mu);
  expect(starts.count()).toBe(1);
});

test.each([
  [0, '✘ long  failed  stdio      user   –             –   –  plugboard doctor long'],
  [80, '✘ long  failed  stdio      user   –             –   –  plugboard doctor long'],
  [60, '✘ long  failed  stdio      user       –   –  doctor'],
  [40, '✘ long  failed  user       –  doctor'],
])('on a screen of %i columns a server has one line', async (columns, line) => {
  const long = scripted(`/* ${'x'.repeat(200)} */ process.exit(1)`);
  const run = await makeSandbox(user({ long })).run(['list', '--no-color'], { isTerminal: true, columns });
  expect(run.stdout.split('\n').slice(1, 3)).toEqual([line, '']);
});

test('a server is named once, and what is left of a printed object is no last word', async () => {
  const { stdout } = await makeSandbox(
    user({ old: journaling({}, { era: 'modern' }), lost: { command: 'node', args: ['/no/such/file.mjs'] } }),
  ).run(['list']);
  expect(stdout).toContain(
    'does not answer in protocol 2026-07-28, which its entry demands: it answered server/discover with',
  );
  expect(stdout).toContain(
    "said on stderr:\n    Error: Cannot find module '/no/such/file.mjs'\n  → There is no such file",
  );
});

test('a list that fills a screen is counted below it', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `off${index}`);
  const off = Object.fromEntries(names.map((name) => [name, { command: 'x', disabled: true }]));
  const { stdout } = await makeSandbox(user({ ...off, gone: { command: 'no-such-program' } })).run(['list']);
  expect(stdout.endsWith('\n\n10 servers: 9 disabled, 1 failed\n')).toBe(true);
  expect((await makeSandbox(user(off)).run(['list'])).stdout).not.toContain('9 servers');
});

test('a server of a flag is known to doctor only with that flag, which is said', async () => {
  const flag = ['--mcp-server', `broken=${JSON.stringify(broken)}`];
  const { stdout } = await makeSandbox().run(['list', ...flag]);
  expect(stdout).toMatch(/^✘ broken .* with the same flags: plugboard doctor broken$/mu);
});

test('get tells apart what a server offers and what it once offered', async () => {
  const sandbox = makeSandbox(user({ a: journaling({}, { start: 'lazy' }) }));
  await sandbox.run(['reconnect', 'a']);
  expect((await sandbox.run(['get', 'a'])).stdout).toContain(
    '  As of the last answer of the server:\n  Server: journal',
  );
});

test('on a terminal the words are coloured as well', async () => {
  const run = await makeSandbox(user({ good: journaling() })).run(['list'], { isTerminal: true });
  expect(run.stdout).toContain('\u001B[32m✔\u001B[39m good  \u001B[32mconnected\u001B[39m  stdio');
});

test('get starts only that server, and shows what it offers', async () => {
  const sandbox = makeSandbox();
  const starts = startsOf(sandbox);
  const env = { STARTS: starts.file };
  sandbox.write(USER_FILE, { mcpServers: { a: journaling({ ...env, VERSION: '7' }), b: journaling(env) } });
  const run = await sandbox.run(['get', 'a']);
  expect([run.code, run.stderr, starts.count()]).toEqual([0, '', 1]);
  expect(steady(run)).toBe(`a:
  Scope: ${HEADING}
  Status: ✔ connected (5 tools, 2 resources, 1 prompt, 2025-11-25, N ms)
  command: node
  args: ["SERVERS/journal-server.mjs"]
  env: {"STARTS":"••••","VERSION":"••••"}
  Server: journal 7
  Capabilities: tools, resources, prompts
  Instructions: Write it down.
  Tools (5): read, put, append, die, grow
  Resources (2): file:///journal, file:///{page}
  Prompts (1): sum-up

To remove this server, run: plugboard remove a -s user
`);
  const { json } = await sandbox.run(['get', 'a', '--json']);
  expect(json?.data).toMatchObject({
    status: 'connected',
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: 'Write it down.',
  });
});

test('get of a server that fails says why below its status', async () => {
  const { code, stdout } = await makeSandbox(user({ broken })).run(['get', 'broken']);
  expect(code).toBe(0);
  expect(stdout).toContain(`  Status: ✘ failed: exited with code 3 before it answered initialize
    | reading the key
    | Error: no key
    → plugboard doctor broken
  command: node`);
});

test('get tells what a sandbox keeps a server from', async () => {
  const sandbox = { write: ['data'], memoryMb: 100 };
  const { stdout } = await makeSandbox(user({ a: { command: 'x', sandbox } })).run(['get', 'a', '--no-connect']);
  expect(stdout).toContain('  Sandbox: on (no network, writes to data, at most 100 MB of memory)\n');
});

test('a server that talks where messages belong is shown, and told of once', async () => {
  const { args, ...entry } = journaling();
  // Not through the variable NOISE, because the values of an entry's variables are masked.
  const noisy = {
    ...entry,
    args: ['-e', "console.log('hello there'); import(process.argv[1])", ...(args as string[])],
  };
  const { stdout, stderr } = await makeSandbox(user({ a: noisy })).run(['list']);
  expect(stdout).toMatch(/^✔ a +connected /mu);
  expect(stderr).toBe('warning: "a" prints lines that are not messages; the first: hello there\n');
});
