import { expect, test } from 'vitest';
import { scripted, silent } from './live-servers.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

/** Greets, and never says which tools it has, or fails over it; prompts it tells. */
const offering = (tools: 'silence' | 'an error'): ReturnType<typeof scripted> =>
  scripted(`
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const tell = (more) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
    if (method === 'initialize')
      tell({ result: { protocolVersion: params.protocolVersion, serverInfo: { name: 'x', version: '1' }, capabilities: { tools: {}, prompts: {} } } });
    else if (method === 'prompts/list') tell({ result: { prompts: [{ name: 'p' }] } });
    else if (method === 'server/discover' || (method === 'tools/list' && ${tools === 'an error'}))
      tell({ error: { code: -32603, message: 'no' } });
  });
`);
const reticent = offering('silence');
/** Offers one tool. */
const helpful = scripted(`
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const tell = (more) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
    if (method === 'initialize')
      tell({ result: { protocolVersion: params.protocolVersion, serverInfo: { name: 'x', version: '1' }, capabilities: { tools: {} } } });
    else if (method === 'tools/list') tell({ result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
    else if (id !== undefined) tell({ error: { code: -32601, message: 'no' } });
  });
`);
const user = (mcpServers: object): Record<string, unknown> => ({ [USER_FILE]: { mcpServers } });

test.each([[['tools', 'a']], [['tools']]])(
  '%j says that a list did not come in time, and not that it is empty',
  async (words) => {
    const sandbox = makeSandbox(user({ a: reticent }));
    const run = await sandbox.run([...words, '--timeout', '700', '--json']);
    expect(run.code).toBe(124);
    expect(run.json).toMatchObject({ ok: false, error: { code: 'call-timeout' } });
  },
);

test('a call by the full name of a tool says why its server may not run', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { 'an off one': { ...reticent, disabled: true } } },
    [PROJECT_FILE]: { mcpServers: { new: reticent } },
  });
  const off = await sandbox.run(['call', 'mcp__an_off_one__x', '--json']);
  expect([off.code, off.json?.error?.code]).toEqual([1, 'disabled']);
  const unapproved = await sandbox.run(['call', 'mcp__new__x', '--json']);
  expect([unapproved.code, unapproved.json?.error?.code]).toEqual([5, 'not-approved']);
});

test('a server that does not answer in time is named by a call that waits for it', async () => {
  const sandbox = makeSandbox(user({ a: silent }));
  const run = await sandbox.run(['call', 'a.x', '--timeout', '500', '--json']);
  expect([run.code, run.json?.error?.message]).toEqual([124, expect.stringContaining('Server "a" did not finish')]);
});

test.each(['silence', 'an error'] as const)('%s instead of a list of tools is not told as no tools', async (what) => {
  const sandbox = makeSandbox(user({ a: offering(what) }));
  const run = await sandbox.run(['list', '--timeout', '700', '--json']);
  expect(run.json?.data?.['servers']).toMatchObject([{ status: 'connected', tools: null, resources: 0, prompts: 1 }]);
});

/** What no time has to pass for ends long before a test does; what waits for a minute does not. */
const soon = { env: { MCP_TIMEOUT: '3000' } };

test('lists have the time of MCP_TIMEOUT, and a server that does not tell its tools is unhealthy, and connected', async () => {
  const sandbox = makeSandbox(user({ a: reticent, b: helpful }));
  const error = {
    code: 'call-timeout',
    message: 'Server "a" did not answer tools/list within 3000 ms',
    hint: expect.stringMatching(/MCP_TIMEOUT=MS.*plugboard logs a$/u),
  };
  const [run, { stdout }, got] = await Promise.all([
    sandbox.run(['list', '--json', '--exit-code'], soon),
    sandbox.run(['list'], soon),
    sandbox.run(['get', 'a', '--json'], soon),
  ]);
  expect(run.code).toBe(3);
  expect(run.json?.data?.['servers']).toMatchObject([
    { name: 'a', status: 'connected', tools: null, error },
    { name: 'b', status: 'connected', tools: 1 },
  ]);
  expect(stdout).toMatch(/! connected \(its tools did not come.*\): did not answer tools\/list within 3000 ms\n/u);
  expect(got.json?.data).toMatchObject({ status: 'connected', error });
});

test('a list that fails is the error of its server as well, and a list that is late by --timeout', async () => {
  const sandbox = makeSandbox(user({ a: offering('an error'), b: helpful }));
  const run = await sandbox.run(['list', '--json', '--exit-code']);
  expect(run.code).toBe(3);
  expect(run.json?.data?.['servers']).toMatchObject([
    { name: 'a', status: 'connected', error: { code: 'server-error', message: expect.stringContaining('tools/list') } },
    { name: 'b', status: 'connected' },
  ]);
  const late = await makeSandbox(user({ a: reticent })).run(['list', '--json', '--exit-code', '--timeout', '3000']);
  expect(late.code).toBe(3);
  expect(late.json?.data?.['servers']).toMatchObject([{ status: 'connected', error: { code: 'call-timeout' } }]);
});

test('a call of a tool that its server has not told says so, and suggests nothing of another server', async () => {
  const sandbox = makeSandbox(user({ a: reticent, ab: helpful }));
  const words = ['a.echo', 'mcp__a__echo'];
  const runs = await Promise.all(words.map((word) => sandbox.run(['call', word, '--json'], soon)));
  for (const [at, word] of words.entries()) {
    const { code, json } = runs[at]!;
    expect([code, json?.error]).toEqual([
      124,
      {
        code: 'call-timeout',
        message: `Tool "${word}" is not known: server "a" has not told its tools: Server "a" did not answer tools/list within 3000 ms`,
        hint: 'See why: plugboard doctor a',
      },
    ]);
  }
  const late = await sandbox.run(['call', 'a.echo', '--json', '--timeout', '3000']);
  expect([late.code, late.json?.error?.message]).toEqual([124, expect.stringContaining('has not told its tools')]);
});
