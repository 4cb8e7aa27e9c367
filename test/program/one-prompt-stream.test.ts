import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embedSdk } from '../contract/servers/sdk-in-process.js';
import type { ControlRequest, Embedder } from '../embedder.js';
import { localDialect } from '../fixtures/openai-dialect.js';
import { type Json, openScriptedApi } from '../fixtures/scripted-api.js';
import { call, promptScene, resultOf, say, withTools } from './prompt-scene.js';
import { makeSandbox } from './sandbox.js';
import { talk } from './stream-talk.js';

function parse(stdout: string): readonly Json[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

const calling = [[{ type: 'text', text: 'Let me see.' }, call('mcp__t__echo', { text: 'x' })], say('It says x.')];

test('one prompt as stream-json: what there is, every message, and the result', async () => {
  const { run } = await promptScene(calling);
  const args = ['-p', 'go', '--output-format', 'stream-json', ...withTools(), '--allow', 'mcp__t__echo'];
  const { code, stdout, stderr } = await run(args);
  expect([code, stderr]).toEqual([0, '']);
  const lines = parse(stdout);
  const { session_id: id } = lines[0]!;
  expect(lines).toMatchObject([
    {
      type: 'system',
      subtype: 'init',
      model: 'scripted',
      tools: expect.arrayContaining(['Read', 'Agent', 'mcp__t__echo']),
      mcp_servers: [{ name: 't', status: 'connected' }],
      mcp_server_errors: [],
      permissionMode: 'default',
      slash_commands: [],
    },
    {
      type: 'assistant',
      message: {
        id: expect.stringMatching(/^msg_/u),
        role: 'assistant',
        model: 'scripted',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'toolu_1', name: 'mcp__t__echo', input: { text: 'x' } },
        ],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
      parent_tool_use_id: null,
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', is_error: false, content: [{ text: '{"text":"x"}' }] },
        ],
      },
    },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'It says x.' }] } },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'It says x.',
      num_turns: 2,
      duration_ms: expect.any(Number),
      usage: { input_tokens: 2, output_tokens: 2 },
      permission_denials: [],
    },
  ]);
  expect(id).toMatch(/^[\w-]{36}$/u);
  expect(new Set(lines.map((line) => line['session_id']))).toEqual(new Set([id]));
});

test('words as they come add up to the message', async () => {
  const { run } = await promptScene(calling);
  const args = ['-p', 'go', '--output-format', 'stream-json', '--include-partial-messages', ...withTools()];
  const { code, stdout } = await run([...args, '--allow', 'mcp__t']);
  expect(code).toBe(0);
  const lines = parse(stdout);
  const events = lines.filter(({ type }) => type === 'stream_event').map(({ event }) => event as Json);
  const first = events.slice(0, events.findIndex(({ type }) => type === 'message_stop') + 1);
  expect(first.map(({ type, index }) => [type, index])).toEqual([
    ['message_start', undefined],
    ['content_block_start', 0],
    ['content_block_delta', 0],
    ['content_block_delta', 0],
    ['content_block_stop', 0],
    ['content_block_start', 1],
    ['content_block_delta', 1],
    ['content_block_stop', 1],
    ['message_delta', undefined],
    ['message_stop', undefined],
  ]);
  expect(first[6]).toMatchObject({ delta: { type: 'input_json_delta', partial_json: '{"text":"x"}' } });
  const { message } = lines.find(({ type }) => type === 'assistant')! as { message: Json };
  expect((first[0]!['message'] as Json)['id']).toBe(message['id']);
});

test('a model with another API gives the same blocks', async () => {
  await using api = await openScriptedApi(localDialect, (turn) =>
    turn === 1 ? { calls: [{ id: 'c1', name: 'mcp__t__fail', arguments: '{}' }] } : { content: 'Failed.' },
  );
  const args = ['-p', 'go', '--model', 'llama', '--output-format', 'stream-json', ...withTools(), '--allow', 'mcp__t'];
  const { code, stdout } = await makeSandbox().run(args, { env: { OPENAI_BASE_URL: `${api.url}/v1` } });
  expect(code).toBe(0);
  const lines = parse(stdout);
  expect(lines.slice(1, 3)).toMatchObject([
    { message: { content: [{ type: 'tool_use', id: 'c1', name: 'mcp__t__fail', input: {} }] } },
    {
      message: {
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            is_error: true,
            content: [{ type: 'text', text: expect.stringContaining('the disk is full') }],
          },
        ],
      },
    },
  ]);
});

test('several turns of one conversation, queued while it works, until stdin ends', async () => {
  const { user, result, embedder, end, api, lines } = await talk([say('one'), say('two'), say('three')]);
  user('first');
  user([{ type: 'text', text: 'second' }]);
  expect(await result(2)).toMatchObject({ result: 'two', is_error: false, num_turns: 1 });
  user([
    { type: 'text', text: 'third' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } },
  ]);
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
  expect(lines('result').map((line) => line['result'])).toEqual(['one', 'two', 'three']);
  // Each turn begins with one.
  expect(embedder.others.filter(({ subtype }) => subtype === 'init')).toHaveLength(3);
  const { messages } = api.requests[2] as { messages: Json[] };
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  expect(messages[4]!['content']).toMatchObject([{ text: 'third' }, { type: 'image' }]);
});

test('an interrupt ends the turn and nothing else', async () => {
  const { user, request, result, end, api } = await talk((turn) => (turn === 1 ? undefined : say('again')));
  user('first');
  await api.asked(1);
  expect(await request('interrupt')).toMatchObject({ subtype: 'success' });
  expect(await result(1)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  user('second');
  expect(await result(2)).toMatchObject({ subtype: 'success', result: 'again' });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test('an interrupt tells which messages still wait, or drops them; priorities say which comes first', async () => {
  const { embedder, request, result, end, api, lines } = await talk((turn) => (turn === 1 ? undefined : say('again')));
  const send = (content: string, more: object): void =>
    embedder.send({ type: 'user', message: { role: 'user', content }, ...more });
  send('first', {});
  await api.asked(1);
  send('dropped', { uuid: 'a', priority: 'later' });
  send('urgent', { uuid: 'b', priority: 'now' });
  send('context', { shouldQuery: false });
  expect(await request('interrupt', { cancel_queued: true })).toMatchObject({
    response: { still_queued: [], cancelled: ['b', 'a'] },
  });
  await result(1);
  send('second', { uuid: 'c' });
  await result(2);
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
  expect(lines('result')).toHaveLength(2);
  expect(JSON.stringify(api.requests[1]!['messages'])).toContain('context\\n\\nsecond');
});

test('a question of a server goes to a program that has begun with initialize, and is declined otherwise', async () => {
  const script = [[call('mcp__n__ask', {})], say('done')];
  const server = { command: process.execPath, args: [join(import.meta.dirname, 'called-server.mjs')] };
  const args = ['--mcp-server', `n=${JSON.stringify(server)}`, '--allow', 'mcp__n'];
  const holder: { embedder?: Embedder } = {};
  const onRequest = ({ request: { subtype }, request_id: key }: ControlRequest): boolean => {
    const response = subtype === 'elicitation' ? { action: 'accept', content: { which: 'blue' } } : {};
    holder.embedder!.send({ type: 'control_response', response: { subtype: 'success', request_id: key, response } });
    return true;
  };
  const knowing = await talk(script, args, { onRequest });
  holder.embedder = knowing.embedder;
  await knowing.request('initialize');
  knowing.user('go');
  await knowing.result(1);
  expect(JSON.stringify(resultOf(knowing.api))).toContain('blue');
  await knowing.end();
  const unknowing = await talk(script, args, { onRequest });
  unknowing.user('go');
  await unknowing.result(1);
  expect(JSON.stringify(resultOf(unknowing.api))).toContain('decline');
  expect(await unknowing.end()).toMatchObject({ code: 0, stderr: expect.stringContaining('Plugboard declined') });
});

test('the program that started it decides about calls, and may change what is sent', async () => {
  const decisions: Json[] = [
    { behavior: 'allow', updatedInput: { text: 'y' } },
    { behavior: 'deny', message: 'not that one' },
    { behavior: 'allow' },
  ];
  const asked: Json[] = [];
  const script = ['a', 'b', 'c'].map((id) => [call('mcp__t__echo', { text: 'x' }, id)]);
  const holder: { embedder?: Embedder } = {};
  const onRequest = ({ request, request_id: key }: ControlRequest): boolean => {
    asked.push(request);
    const response = decisions.shift();
    holder.embedder!.send({ type: 'control_response', response: { subtype: 'success', request_id: key, response } });
    return true;
  };
  const { user, result, end, api, embedder } = await talk(
    [...script, say('done')],
    [...withTools(), '--permission-prompt-tool', 'stdio'],
    { onRequest },
  );
  holder.embedder = embedder;
  user('go');
  expect(await result(1)).toMatchObject({
    result: 'done',
    permission_denials: [{ tool_name: 'mcp__t__echo', tool_use_id: 'b', tool_input: { text: 'x' } }],
  });
  expect(asked).toMatchObject([
    { subtype: 'can_use_tool', tool_name: 'mcp__t__echo', input: { text: 'x' }, tool_use_id: 'a' },
    { tool_use_id: 'b' },
    { tool_use_id: 'c' },
  ]);
  expect(resultOf(api, 'a')).toMatchObject({ is_error: false, content: [{ text: '{"text":"y"}' }] });
  expect(JSON.stringify(resultOf(api, 'b'))).toContain('not that one');
  expect(resultOf(api, 'c')).toMatchObject({ is_error: false, content: [{ text: '{"text":"x"}' }] });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test('a decision that nobody gives, because stdin has ended, is a no', async () => {
  const { user, embedder, end, lines } = await talk(
    [[call('mcp__t__echo', { text: 'x' })], say('done')],
    [...withTools(), '--permission-prompt-tool', 'stdio'],
    { onRequest: () => true },
  );
  user('go');
  await embedder.until(() => embedder.requests[0]);
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
  expect(lines('result')).toMatchObject([{ permission_denials: [{ tool_use_id: 'toolu_1' }] }]);
});

test.each([
  ['by a flag', ['--mcp-server', 'calc={"type":"sdk","name":"calc"}'], {}],
  ['by initialize', [], { sdkMcpServers: ['calc'] }],
])('servers of the program are used over the same lines, named %s', async (_, args, beginning) => {
  const { user, request, result, end, api } = await talk(
    [[call('mcp__calc__add', { a: 2, b: 3 })], say('Five.')],
    [...args, '--allow', 'mcp__calc'],
    { servers: { calc: (line) => embedSdk({}).connect(line) } },
  );
  expect(await request('initialize', beginning)).toMatchObject({
    subtype: 'success',
    response: { commands: [{ name: 'compact' }] },
  });
  user('2 + 3?');
  expect(await result(1)).toMatchObject({ result: 'Five.' });
  expect(resultOf(api)).toMatchObject({ content: [{ text: '5' }] });
  expect(await request('mcp_status')).toMatchObject({
    response: { mcpServers: [{ name: 'calc', status: 'connected' }] },
  });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test('other requests are answered: a model, a server, and what is not there', async () => {
  const { user, request, result, end, api } = await talk([say('one'), say('two')], withTools());
  expect(await request('initialize', { hooks: null })).toMatchObject({ subtype: 'success' });
  user('first');
  await result(1);
  expect(await request('set_model', { model: 'anthropic/other' })).toMatchObject({ subtype: 'success' });
  expect(await request('mcp_toggle', { serverName: 't', enabled: false })).toMatchObject({ subtype: 'success' });
  expect(await request('mcp_toggle', { serverName: 'nobody' })).toMatchObject({
    subtype: 'error',
    error: 'Server not found: nobody',
  });
  expect(await request('fly')).toMatchObject({
    subtype: 'error',
    error: 'Unsupported control request subtype: fly',
    error_code: 'unsupported_request',
  });
  user('second');
  await result(2);
  expect(api.requests[1]).toMatchObject({ model: 'other' });
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});

test('what has no effect by a flag and by initialize is told once', async () => {
  const { user, request, result, end } = await talk([say('one')], ['--json-schema={"type":"object"}']);
  await request('initialize', { jsonSchema: { type: 'object' }, title: 'x' });
  user('go');
  await result(1);
  const { stderr } = await end();
  expect(stderr.match(/answers are not held against a schema/gu)).toHaveLength(1);
  expect(stderr).toContain('initialize: title has no effect');
});

test('a hook of the embedding program that fails is told as that', async () => {
  const { user, embedder, request, result, end } = await talk([say('one')]);
  await request('initialize', { hooks: { UserPromptSubmit: [{ hookCallbackIds: ['h1'] }] } });
  user('go');
  const { request_id: key } = await embedder.until(() =>
    embedder.requests.find(({ request: { subtype } }) => subtype === 'hook_callback'),
  );
  embedder.send({ type: 'control_response', response: { subtype: 'error', request_id: key, error: 'boom' } });
  expect(await result(1)).toMatchObject({ is_error: true });
  const { stderr } = await end();
  expect(stderr).toMatch(/^warning: UserPromptSubmit hook failed: boom/mu);
  expect(stderr).not.toContain('did not answer');
});

test('an embedding program whose hooks cannot be asked is refused', async () => {
  const { request, ended, lines } = await talk([]);
  const hooks = { PreToolUse: [{ hookCallbackIds: '1' }] };
  expect(await request('initialize', { hooks })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('PreToolUse'),
  });
  expect(await ended).toMatchObject({ code: 1 });
  expect(lines('result')).toMatchObject([{ is_error: true, error: { code: 'config-invalid' } }]);
});

test.each([
  ['no JSON', 'good morning', 'a line is not a message: good morning'],
  ['no type', '{}', 'a line has no type'],
  ['an unknown type', '{"type":"banana"}', 'a line has the unknown type "banana"'],
  [
    'too deep',
    `{"type":"user","x":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
    'it nests deeper than 512 levels: {"type":"user"',
  ],
  ['nothing to say', '{"type":"user","message":{"role":"user","content":" "}}', 'a user line is empty'],
  ['another role', '{"type":"user","message":{"role":"system","content":"x"}}', 'has the role "system"'],
  ['too much', `{"type":"user","message":{"content":"${'x'.repeat(17_000_000)}"}}`, 'it has more than 16 MB'],
  [
    'a document',
    '{"type":"user","message":{"content":[{"type":"document"},{"type":"text","text":"x"}]}}',
    '"document" cannot be sent',
  ],
  [
    'a block that is none',
    '{"type":"user","message":{"content":[{"type":"tool_result"}]}}',
    '"tool_result" cannot be sent',
  ],
])('a line with %s is told by name, and harms nothing', async (_, line, message) => {
  const { user, embedder, result, lines, end } = await talk([say('fine')]);
  embedder.raw(`${line}\n`);
  user('hello');
  // A message of the user has its result.
  const refused = { subtype: 'error_during_execution', is_error: true, errors: [expect.stringContaining(message)] };
  const results = [...(line.includes('"user"') ? [refused] : []), { result: 'fine' }];
  await result(results.length);
  expect(lines('result')).toMatchObject(results);
  const told = embedder.others.filter(({ subtype }) => subtype === 'input_error');
  expect(told).toMatchObject([{ type: 'system', message: expect.stringContaining(message) }]);
  expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining(message) });
});

test('stdin that ends without a word is a mistake', async () => {
  const { end, embedder } = await talk([]);
  expect(await end()).toMatchObject({ code: 2, stderr: expect.stringContaining('no message came on stdin') });
  expect(embedder.others).toEqual([]);
});

test('Ctrl-C ends a conversation properly: its turn has a result, and the exit code is 130', async () => {
  const { user, leave, ended, api, lines } = await talk(() => undefined, withTools());
  user('go');
  await api.asked(1);
  leave();
  expect(await ended).toMatchObject({ code: 130 });
  expect(lines('result')).toMatchObject([{ subtype: 'error_during_execution', error: { code: 'cancelled' } }]);
});

test('messages of a sub-agent name the call that it works for', async () => {
  const { user, result, end, lines, api } = await talk(
    (_, { messages }) => {
      const said = JSON.stringify(messages);
      if (!said.includes('Dig')) return [call('Agent', { description: 'dig', prompt: 'Dig' }, 'toolu_a')];
      if (said.includes('toolu_a')) return say('Dug.');
      return said.includes('toolu_b') ? say('found') : [call('mcp__t__echo', { text: 'x' }, 'toolu_b')];
    },
    [...withTools(), '--allow', 'mcp__t'],
  );
  user('go');
  expect([await result(1), api.refused]).toMatchObject([{ result: 'Dug.' }, []]);
  const parents = lines('assistant').map((line) => line['parent_tool_use_id']);
  expect(parents).toEqual([null, 'toolu_a', 'toolu_a', null]);
  expect(await end()).toMatchObject({ code: 0, stderr: '' });
});
