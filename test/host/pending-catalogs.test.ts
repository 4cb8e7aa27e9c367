import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openScene, type Scene } from './scene.js';
import { HeldClock } from '../held-clock.js';

/** A server that does not answer tools/list until the file TOLD exists. It answers prompts/list. */
const RETICENT = `
  const { existsSync } = require('node:fs');
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const capabilities = { tools: { listChanged: true }, prompts: {} };
    if (method === 'initialize')
      send({ id, result: { protocolVersion: params.protocolVersion, serverInfo: { name: 'x', version: '1' }, capabilities } });
    else if (method === 'prompts/list') send({ id, result: { prompts: [{ name: 'p' }] } });
    else if (method === 'tools/list' && existsSync(process.env.TOLD))
      send({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'hi' }] } });
    else if (method !== 'tools/list' && id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
  });
`;

const reticent = ({ home }: Scene): Record<string, unknown> => ({
  command: process.execPath,
  args: ['-e', RETICENT],
  env: { TOLD: `${home}/told` },
});

test('settled does not wait longer than MCP_TIMEOUT for lists, and an unknown tool of that server is answered by what is missing', async () => {
  await using scene = openScene();
  scene.configure({ shy: reticent(scene), shyer: scene.journaling() });
  // Holds the timers of the start, so that the timeout of the lists begins only when both servers are connected.
  const clock = new HeldClock(1_000);
  const { host, untilListed } = await scene.open({ env: { ...scene.env, MCP_TIMEOUT: '3000' }, ports: { clock } });
  // The call waits for the list of `shy`; a tool of another server is no answer.
  const calling = host.call({ name: 'mcp__shy__add' });
  await expect
    .poll(() => host.servers().map(({ status, tools }) => [status, tools !== null && tools > 0]))
    .toEqual([
      ['connected', false],
      ['connected', true],
    ]);
  clock.release();
  const early = await calling;
  await host.settled();
  const late = await host.call({ name: 'mcp__shy__add' });
  for (const { error } of [early, late]) {
    expect(error?.message).toBe(
      'Tool "mcp__shy__add" is not known: server "shy" has not told its tools: Server "shy" did not answer tools/list within 3000 ms',
    );
    expect(error?.hint).toBe('See why: host.server("shy")?.error');
  }
  expect(host.servers()).toMatchObject([
    { name: 'shy', status: 'connected', tools: null, prompts: 1, error: { code: 'call-timeout' } },
    { name: 'shyer', status: 'connected' },
  ]);
  expect(host.server('shyer')?.error).toBeUndefined();
  // For a server that has listed its tools the error suggests a similar name.
  const { error } = await host.call({ name: `${host.tools()[0]!.name}x` });
  expect(error?.hint).toMatch(/^Did you mean mcp__shyer__/u);

  writeFileSync(`${scene.home}/told`, '');
  // A `tools/list` request from before the file existed must time out before the list is requested again.
  for (const listed = untilListed(({ added }) => added.includes('echo')); ; host.tools()) {
    if (await Promise.race([listed.then(() => true), pause(50)])) break;
  }
  expect(host.server('shy')).toMatchObject({ status: 'connected', tools: 1 });
  expect(host.server('shy')?.error).toBeUndefined();
  expect(await host.call({ name: 'mcp__shy__echo' })).toMatchObject({ outcome: 'ok' });
});
