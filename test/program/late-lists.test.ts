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
