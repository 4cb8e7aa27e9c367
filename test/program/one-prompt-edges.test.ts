import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../fixtures/scripted-api.js';
import { FAR_MS } from './late-clock.js';
import { promptScene, say, toolServer } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE } from './sandbox.js';
import { talk } from './stream-talk.js';

test('--timeout and Ctrl-C count while an endpoint is asked which models it has', async () => {
  const leaving = new AbortController();
  let asked = (): void => leaving.abort();
  const silent = createServer(() => asked());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => (silent.closeAllConnections(), void silent.close()));
  const env = { OPENAI_BASE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
  const { run } = makeSandbox();
  expect(await run(['-p', 'go'], { env, interrupted: leaving.signal })).toMatchObject({ code: 130 });
  const again = new Promise<void>((resolve) => (asked = resolve));
  const late = { at: () => again };
  const { code, json } = await run(['-p', 'go', '--json', '--timeout', FAR_MS], { env, late });
  expect([code, json]).toMatchObject([124, { error: { code: 'call-timeout' } }]);
});

test('a server that the model had to do without is told on stderr, and --quiet is quiet', async () => {
  const files = { [PROJECT_FILE]: { mcpServers: { t: toolServer } } };
  const { run } = await promptScene(() => say('ok'), files);
  const bad = ['--mcp-server', 'bad={"command":"/nowhere/at-all"}'];
  const { code, stdout, stderr } = await run(['-p', 'go', ...bad]);
  expect([code, stdout]).toEqual([0, 'ok\n']);
  expect(stderr).toMatch(/^note: "bad" could not be used: .*\/nowhere\/at-all/mu);
  expect(stderr).toMatch(/^note: "t" could not be used: it is not approved \(plugboard approve t\)$/mu);
  expect(await run(['-p', 'go', '--quiet', ...bad])).toMatchObject({ code: 0, stderr: '' });
});

test('a prompt of a server that says nothing is told as that, and nobody is asked', async () => {
  const { run, api } = await promptScene([say('no')]);
  const args = ['-e', PROMPT_SERVER];
  const servers = ['--mcp-server', `p=${JSON.stringify({ command: process.execPath, args })}`];
  for (const name of ['none', 'blank']) {
    const { code, stderr } = await run(['-p', `/mcp__p__${name}`, ...servers]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The prompt /mcp__p__${name} says nothing`)]);
  }
  expect(api.requests).toEqual([]);
});

/** A server whose prompts are empty. */
const PROMPT_SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const blank = { role: 'user', content: { type: 'text', text: ' ' } };
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { prompts: {} }, serverInfo: { name: 'p', version: '1' } },
    'prompts/list': { prompts: [{ name: 'none' }, { name: 'blank' }] },
    'prompts/get': { messages: params?.name === 'blank' ? [blank] : [] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
})`;

const asked = {
  command: process.execPath,
  args: [
    '-e',
    `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const text = 'Sum up ' + (params?.arguments?.what ?? '');
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { prompts: {} }, serverInfo: { name: 's', version: '1' } },
    'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'what', required: true }] }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text } }] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
})`,
  ],
};
const ASKED = ['--mcp-server', `s=${JSON.stringify(asked)}`];
const UNRUN = '/mcp__s__p is not run, because it was not typed';

test('a prompt of a server that comes by stdin is not run, and that is told to the user and the model', async () => {
  const { run, api } = await promptScene([say('ok')]);
  const { code, stderr } = await run(['-p', ...ASKED], { stdin: '/mcp__s__p DATA' });
  expect([code, stderr]).toEqual([0, expect.stringContaining(UNRUN)]);
  const sent = JSON.stringify(api.requests[0]!.messages);
  expect(sent).toContain(`[From the host: ${UNRUN}`);
  expect(sent).toContain('"/mcp__s__p DATA"');
  expect(sent).not.toContain('Sum up');
});

test('one that a program sends as a line of stream-json is run where a rule allows it', async () => {
  const { result, end, user, request, lines, api } = await talk(
    [say('ok'), say('more')],
    [...ASKED, '--allow', 'mcp__s__prompts'],
  );
  user('/mcp__s__p this');
  expect(await result(1)).toMatchObject({ result: 'ok' });
  expect(api.requests[0]!.messages).toMatchObject([{ role: 'user', content: [{ text: 'Sum up this' }] }]);
  // The server has listed its prompts by now.
  const commands = [{ name: 'compact' }, { name: 'mcp__s__p', argumentHint: '<what>' }];
  expect(await request('initialize')).toMatchObject({ response: { commands } });
  user('more');
  await result(2);
  expect(lines('system').at(-1)).toMatchObject({ subtype: 'init', slash_commands: ['compact', 'mcp__s__p'] });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['allows', { behavior: 'allow' }, 1],
  ['denies', { behavior: 'deny', message: 'not that' }, 0],
])('and where nothing decides, the program is asked about it and %s', async (_, decision, count) => {
  const { embedder, result, end, user, api } = await talk(
    [say('ok')],
    [...ASKED, '--permission-prompt-tool', 'stdio'],
    {
      onRequest: ({ request_id: key, request }) => {
        if (request.subtype !== 'can_use_tool') return false;
        const response = { subtype: 'success', request_id: key, response: decision };
        embedder.send({ type: 'control_response', response });
        return true;
      },
    },
  );
  user('/mcp__s__p this');
  expect(await result(1)).toMatchObject({ is_error: count === 0 });
  await end();
  expect(embedder.requests).toMatchObject([{ request: { subtype: 'can_use_tool', tool_name: 'mcp__s__prompts' } }]);
  expect(api.requests).toHaveLength(count);
});

test('and where nobody can be asked, it is denied, and nothing is sent', async () => {
  const { result, end, user, api } = await talk([say('ok')], ASKED);
  user('/mcp__s__p DATA');
  expect(await result(1)).toMatchObject({ is_error: true, error: { code: 'denied' } });
  await end();
  expect(api.requests).toEqual([]);
});

test('one that is typed is run with what was typed, and what comes by stdin stands behind it', async () => {
  const { run, api } = await promptScene([say('ok')]);
  const { code, stderr } = await run(['-p', '/mcp__s__p this', ...ASKED], { stdin: 'what=DATA' });
  expect([code, stderr]).toEqual([0, '']);
  expect(api.requests[0]!.messages).toMatchObject([
    { role: 'user', content: [{ text: 'Sum up this' }, { text: 'what=DATA' }] },
  ]);
});

test('an interrupt means what was said before it, also when nobody has begun with that', async () => {
  const { embedder, result, request, end, user, api } = await talk([say('again')]);
  const lines = [
    { type: 'user', message: { role: 'user', content: 'first' } },
    { type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } },
  ];
  embedder.raw(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await result(1)).toMatchObject({ is_error: true, error: { code: 'cancelled' } });
  expect(api.requests).toEqual([]);
  // An interrupt with no turn to stop does not affect a later message.
  await request('interrupt');
  user('second');
  expect(await result(2)).toMatchObject({ result: 'again' });
  expect(await end()).toMatchObject({ code: 0 });
});

test('an interrupt ends waiting for servers as well', async () => {
  const mute = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const { user, request, result, end, api } = await talk([say('no')], ['--mcp-server', `m=${JSON.stringify(mute)}`]);
  await request('initialize');
  user('first');
  await request('interrupt');
  expect(await result(1)).toMatchObject({ is_error: true, error: { code: 'cancelled' } });
  expect(api.requests).toEqual([]);
  await end();
});

test('what an initialize brings too late is refused, and a sign of life is not too late', async () => {
  const { embedder, user, request, result, end } = await talk([say('one')]);
  embedder.send({ type: 'keep_alive' });
  const agents = { digger: { description: 'digs', prompt: 'You dig.' } };
  expect(await request('initialize', { agents })).toMatchObject({ subtype: 'success' });
  user('first');
  await result(1);
  expect(embedder.others.find(({ subtype }) => subtype === 'init')).toMatchObject({ agents: ['digger'] });
  expect(await request('initialize')).toMatchObject({ subtype: 'success' });
  const late = { subtype: 'error', error: expect.stringContaining('must be the first line') };
  expect(await request('initialize', { agents })).toMatchObject(late);
  expect(await request('initialize', { sdkMcpServers: ['x'] })).toMatchObject(late);
  expect(await request('initialize', { appendSystemPrompt: 'x' })).toMatchObject(late);
  expect(await request('initialize', { hooks: { PreToolUse: [] } })).toMatchObject({ subtype: 'success' });
  expect(await end()).toMatchObject({ code: 0 });
});

test('an agent that is described twice is the one that the program brings', async () => {
  const flag = { digger: { description: 'digs', prompt: 'You dig.' } };
  const { user, request, result, end, api } = await talk([say('one')], ['--agents', JSON.stringify(flag)]);
  await request('initialize', { agents: { digger: { description: 'flies', prompt: 'You fly.' } } });
  user('first');
  await result(1);
  const tool = (api.requests[0]!['tools'] as Json[]).find(({ name }) => name === 'Agent');
  expect(tool).toMatchObject({
    description: expect.not.stringContaining('digs'),
    input_schema: { properties: { agent: { enum: ['digger'] } } },
  });
  await end();
});

test('who leaves before the first line has 130, whether there is a model or not', async () => {
  const { leave, ended, embedder } = await talk([], ['--model', 'openai/none']);
  leave();
  expect(await ended).toMatchObject({ code: 130, stderr: '' });
  expect(embedder.others).toEqual([]);
});
