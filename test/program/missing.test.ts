import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HeldClock } from '../held-clock.js';
import { FAR_MS } from './late-clock.js';
import { type GatedServer, openGate, scripted } from './live-servers.js';
import { makeSandbox, PROJECT_FILE, type Run, USER_FILE } from './sandbox.js';

const tools = { command: process.execPath, args: [join(import.meta.dirname, 'tool-server.mjs')] };
const user = (mcpServers: object): Record<string, unknown> => ({ [USER_FILE]: { mcpServers } });

/** Runs beside a server that never answers, until `--timeout` has passed and the other server has told everything. */
async function runLate(words: readonly string[], good: GatedServer = openGate()): Promise<Run> {
  const shut = openGate({ isShut: true });
  const sandbox = makeSandbox(user({ good: good.entry, silent: shut.entry }));
  const told = ['took tools/list', 'took prompts/list'].map((what) => good.received(what));
  const at = (): Promise<unknown> => Promise.all([...told, shut.received()]);
  return sandbox.run([...words, '--timeout', FAR_MS], { late: { at } });
}

const missing = [
  {
    server: 'silent',
    error: {
      code: 'connect-timeout',
      message: expect.stringMatching(/^Server "silent" did not .*20000 ms$/u) as string,
      hint: expect.stringMatching(/./u) as string,
    },
  },
];

test.each([
  [['tools'], { tools: [{ server: 'good' }], missing, errors: [{ server: 'silent', code: 'connect-timeout' }] }],
  [['prompts'], { prompts: [{ server: 'good' }], missing }],
  [['resources'], { resources: [], missing }],
  [['search', 'echo'], { tools: [{ name: 'mcp__good__echo' }], missing }],
])('when time is up %j has what came, and says who is missing', async (words, data) => {
  const { code, json } = await runLate([...words, '--json']);
  expect([code, json]).toMatchObject([0, { ok: true, data }]);
});

test('people read who is missing on stderr, and scripts see it with --exit-code', async () => {
  const { code, stdout, stderr } = await runLate(['tools', '--exit-code']);
  expect([code, stdout]).toEqual([3, expect.stringMatching(/^good: 1 tool /u)]);
  expect(stderr).toMatch(
    /^error: Server "silent" did not .*20000 ms\n {2}.*\n1 of 2 servers is missing here: silent\n$/mu,
  );
});

test.each([[['tools']], [['resources']], [['prompts']], [['search', 'echo']]])(
  '%j with --exit-code ends with 0 when all servers came',
  async (words) => {
    const { code, json } = await makeSandbox(user({ tools })).run([...words, '--exit-code', '--json']);
    expect([code, json?.data]).toEqual([0, expect.not.objectContaining({ missing: expect.anything() })]);
  },
);

test('a server that fails is missing as well, and one that is asked for by name is the error', async () => {
  const sandbox = makeSandbox(user({ tools, bad: scripted('process.exit(3)') }));
  for (const words of [['tools'], ['search', 'echo']]) {
    const { code, json } = await sandbox.run([...words, '--json', '--exit-code']);
    expect([code, json?.data?.['missing']]).toMatchObject([
      3,
      [{ server: 'bad', error: { code: 'connection-closed', message: expect.stringContaining('exited with code 3') } }],
    ]);
  }
  const named = await sandbox.run(['tools', 'bad', '--json', '--exit-code']);
  expect([named.code, named.json]).toMatchObject([1, { ok: false, error: { code: 'connection-closed' } }]);
});

test('--timeout also gives a server more than the usual 30 seconds to connect', async () => {
  const sandbox = makeSandbox(user({ a: openGate({ isShut: true }).entry }));
  const clock = new HeldClock(10_000);
  const running = sandbox.run(['tools', 'a', '--timeout', '90000'], { clock });
  // The time limit of the run, and that of the connect.
  await clock.lapse(90_000);
  await clock.lapse(90_000);
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([124, expect.stringContaining('90000 ms')]);
});

test('the limit of an entry comes before --timeout, and its error says where to raise it', async () => {
  const silent = { ...scripted('process.stdin.resume()'), startTimeout: 40_000 };
  const clock = new HeldClock(10_000);
  const running = makeSandbox(user({ silent })).run(['tools', 'silent', '--timeout', '90000'], { clock });
  await clock.lapse(40_000);
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([
    124,
    expect.stringMatching(
      /did not finish the handshake within 40000 ms\n.*\n {2}→ .* give it more time: "startTimeout": 120000 in its entry\n$/u,
    ),
  ]);
});

test('warnings about another server are told by list and doctor, not by a command about this one', async () => {
  const odd = { ...tools, colour: 1 };
  const sandbox = makeSandbox(user({ tools, odd, bad: { command: 5 } }));
  const told = async (...words: readonly string[]): Promise<string> => (await sandbox.run(words)).stderr;
  const [warning, error] = ['"odd": colour: unknown field', '"bad": command: expected a string'];
  for (const words of [
    ['tools', 'tools'],
    ['call', 'tools.echo'],
    ['prompts', 'tools'],
    ['read', 'tools', 'x:y'],
  ]) {
    expect(await told(...words)).not.toMatch(/odd|bad/u);
  }
  expect(await told('tools', 'odd')).toContain(warning);
  const all = await told('tools');
  expect([all.includes(warning), all.includes(error)]).toEqual([false, true]);
  const list = await told('list', '--no-connect');
  expect([list.includes(warning), list.includes(error)]).toEqual([true, true]);
  expect((await sandbox.run(['doctor', '--no-connect'])).stdout).toContain(warning);
});

test('a broken file, which may hide a server that is asked for by name, is told', async () => {
  const sandbox = makeSandbox({ ...user({ tools }), [PROJECT_FILE]: '{ oops' });
  expect((await sandbox.run(['tools', 'tools'])).stderr).toContain('error: PROJECT/.mcp.json');
  expect((await sandbox.run(['tools', 'other'])).stderr).toContain('Fix PROJECT/.mcp.json');
});

test.each([
  [{}, 'No MCP servers configured. Use `plugboard add` to add a server, or name one: plugboard tools URL\n'],
  [
    { [PROJECT_FILE]: { mcpServers: { a: tools } } },
    'No MCP servers may run here. Use `plugboard list` to see why, or name one: plugboard tools URL\n',
  ],
])('tools of no server says why there is none', async (files, told) => {
  const { code, stdout } = await makeSandbox(files).run(['tools']);
  expect([code, stdout]).toEqual([0, told]);
});

test.each([
  [{}, [], '○ No MCP servers configured; 0 errors, 0 warnings\n'],
  [user({ a: { ...tools, disabled: true } }), [], '○ No server may run here; 0 errors, 0 warnings\n'],
  [user({ a: { ...tools, disabled: true } }), ['a'], '○ "a" may not run; 0 errors, 0 warnings\n'],
])('doctor does not call well what cannot run', async (files, words, told) => {
  const { code, stdout } = await makeSandbox(files).run(['doctor', ...words]);
  expect([code, /○.*\n/u.exec(stdout)?.[0]]).toEqual([0, told]);
});
