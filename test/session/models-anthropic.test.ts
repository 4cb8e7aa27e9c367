import { expect, test } from 'vitest';
import { anthropic as profile } from '../../src/model/profiles/anthropic.js';
import type { Message } from '../../src/session/message.js';
import type { ModelRequest } from '../../src/session/model-port.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi, toList } from '../fixtures/scripted-api.js';
import { anthropicAt, HELLO, receive, KEY, toRequest, user, wordsOf } from './models-scene.js';

const schema = { type: 'object', properties: { q: { type: 'string', 'x-odd': [1, null] } }, $defs: { a: true } };
const look = { name: 'look', description: 'Looks', input_schema: schema };
const find = { name: 'ToolSearch', description: 'Finds', input_schema: { type: 'object', properties: {} } };
const later = { ...look, name: 'later', defer_loading: true };
const PNG = 'iVBORw0KGgo=';
const MARK = { cache_control: { type: 'ephemeral' } };

function open(...turns: readonly Reply<AnthropicTurn>[]): Promise<ScriptedApi> {
  return openScriptedApi(anthropicDialect, (turn) => turns[turn - 1]);
}

/** The text without its closing brackets: a later request must begin with it. */
function beginning(text: string): string {
  return text.replace(/[\]}]+$/u, '');
}

test('the words of a model come as it says them, then whole, with what they have cost', async () => {
  const usage = {
    input_tokens: 5,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
    output_tokens: 7,
  };
  await using api = await open({ blocks: [{ type: 'text', text: 'Good morning' }], usage });
  const received = await receive(anthropicAt(api.url));
  expect(api.refused).toEqual([]);
  expect(received.error).toBeUndefined();
  expect(received.events).toEqual([
    { kind: 'text', text: 'Good m' },
    { kind: 'text', text: 'orning' },
    { kind: 'part', part: { kind: 'text', text: 'Good morning' } },
    { kind: 'end', reason: 'done', usage: { input: 125, output: 7, cacheRead: 100, cacheWrite: 20 } },
  ]);
});

test('tools, instructions and marks for the cache go out as they are meant, and nothing that nobody asked for', async () => {
  await using api = await open([{ type: 'text', text: 'Yes' }]);
  await receive(
    anthropicAt(api.url),
    toRequest([user('Hello')], { tools: [look, find, later], system: ['Stable', 'Of servers'] }),
  );
  expect(api.refused).toEqual([]);
  expect(api.requests[0]).toEqual({
    model: 'claude-sonnet-5-5',
    max_tokens: 32_000,
    stream: true,
    cache_control: { type: 'ephemeral' },
    tools: [look, { ...find, ...MARK }, later],
    system: [
      { type: 'text', text: 'Stable', ...MARK },
      { type: 'text', text: 'Of servers', ...MARK },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  });
  expect(JSON.stringify(toList(api.requests[0]!['tools'])[0])).toBe(JSON.stringify(look));
  const { headers } = api.received[0]!;
  expect([headers['x-api-key'], headers['anthropic-version']]).toEqual([KEY, '2023-06-01']);
  expect(headers['anthropic-beta']).toBeUndefined();
  expect(headers['user-agent']).toMatch(/^plugboard\//u);
});

const signed = { type: 'thinking', thinking: 'Let me see.', signature: 'sig-1' };
const hidden = { type: 'redacted_thinking', data: 'secret==' };
const hit = {
  type: 'web_search_result',
  title: 'Milk',
  url: 'https://example.com/',
  encrypted_content: 'x',
  page_age: null,
};
const citation = {
  type: 'web_search_result_location',
  cited_text: 'Milk',
  url: 'https://example.com/',
  title: 'Milk',
  encrypted_index: 'y',
};
/** Every kind of block, in an order that the SDK's own messages would change. */
const rich: AnthropicTurn = [
  signed,
  hidden,
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'milk' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [hit] },
  { type: 'container_upload', file_id: 'file_1' },
  { type: 'text', text: 'Found it. ', citations: [citation] },
  { type: 'tool_use', id: 'toolu_1', name: 'look', input: { q: 'ä "quoted"' } },
  { type: 'tool_use', id: 'toolu_2', name: 'ToolSearch', input: {} },
  { type: 'text', text: ' And one more thing.\n' },
  { type: 'tool_use', id: 'toolu_3', name: 'look', input: 'no json {' },
];
const webSearch = { type: 'web_search_20250305', name: 'web_search' };
const tools = [look, find, webSearch, later];

test('thoughts, searches of the provider and all else of an answer go back as they came', async () => {
  await using api = await open(rich, [{ type: 'text', text: 'Done' }]);
  const model = anthropicAt(api.url);
  const system = ['Stable', 'Of servers'];
  const first = await receive(model, toRequest([user('Milk?')], { tools, system }));
  expect(first.error).toBeUndefined();
  expect(first.end?.reason).toBe('calls');
  expect(wordsOf(first, 'reasoning')).toBe('Let me see.');
  expect(first.parts.map(({ kind }) => kind)).toEqual([
    'reasoning',
    'reasoning',
    'provider-call',
    'provider-result',
    'reasoning',
    'text',
    'call',
    'call',
    'text',
    'call',
  ]);
  expect(first.parts).toContainEqual(
    expect.objectContaining({ kind: 'provider-result', name: 'web_search', isError: false, result: [hit] }),
  );
  expect(first.parts.at(-1)).toMatchObject({
    kind: 'call',
    id: 'toolu_3',
    input: {},
    fault: expect.stringMatching(/not JSON/u),
  });
  const results = profile.toToolResults([
    { callId: 'toolu_1', name: 'look', outcome: 'ok', content: [{ type: 'image', mimeType: 'image/png', data: PNG }] },
    { callId: 'toolu_2', name: 'ToolSearch', outcome: 'ok', content: [], structuredContent: { matches: ['later'] } },
    { callId: 'toolu_3', name: 'look', outcome: 'error', content: [{ type: 'text', text: 'No' }] },
  ]);
  const messages: Message[] = [
    user('Milk?'),
    { role: 'assistant', parts: first.parts },
    { role: 'results', results },
    user('[From the host: a server is gone]'),
  ];
  const second = await receive(model, toRequest(messages, { tools: [...tools, { ...later, name: 'newer' }], system }));
  expect(second.error).toBeUndefined();
  expect(api.refused).toEqual([]);
  const [, said, answers] = toList(api.requests[1]!['messages']);
  expect(said!['content']).toEqual(rich.map((block) => (block['id'] === 'toolu_3' ? { ...block, input: {} } : block)));
  expect(answers!['content']).toEqual([...results, { type: 'text', text: '[From the host: a server is gone]' }]);
  expect(toList(toList(answers!['content'])[0]!['content'])[0]).toMatchObject({ type: 'image', source: { data: PNG } });
  expect(toList(answers!['content'])[1]!['content']).toEqual([{ type: 'tool_reference', tool_name: 'later' }]);
  expect(toList(answers!['content'])[2]).toMatchObject({ is_error: true });
});

test('each request begins with the bytes of the one before', async () => {
  await using api = await open(rich, [{ type: 'text', text: 'Well' }], [{ type: 'text', text: 'Yes' }]);
  const model = anthropicAt(api.url, { contextTokens: 200_000 });
  const request: ModelRequest = toRequest([user('Milk?')], { tools, system: ['Stable', 'Of servers'] });
  const messages: Message[] = [...request.messages];
  for (let turn = 1; turn <= 3; turn++) {
    const { parts } = await receive(model, { ...request, messages });
    messages.push({ role: 'assistant', parts });
    const calls = parts.filter((part) => part.kind === 'call');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }));
    if (results.length > 0) messages.push({ role: 'results', results });
    messages.push(user(`And then? ${turn}`));
  }
  const texts = api.received.map(({ text }) => text);
  expect([texts.length, api.refused]).toEqual([3, []]);
  expect(texts[1]!.startsWith(beginning(texts[0]!))).toBe(true);
  expect(texts[2]!.startsWith(beginning(texts[1]!))).toBe(true);
  expect(api.connections).toBe(1);
});

const paused: AnthropicTurn = {
  blocks: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'milk' } }],
  stop: 'pause_turn',
};

test('a model that pauses goes on from its own last words', async () => {
  const rest = [
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    },
    { type: 'text', text: 'Nothing found' },
  ];
  await using api = await open(paused, rest, [{ type: 'text', text: 'Bye' }]);
  const model = anthropicAt(api.url);
  const ask = (messages: readonly Message[]) => receive(model, toRequest(messages, { tools: [webSearch] }));
  const first = await ask([user('Milk?')]);
  expect(first.end?.reason).toBe('paused');
  const second = await ask([user('Milk?'), { role: 'assistant', parts: first.parts }]);
  expect(second.parts[0]).toMatchObject({ kind: 'provider-result', isError: true });
  await ask([
    user('Milk?'),
    { role: 'assistant', parts: first.parts },
    { role: 'assistant', parts: second.parts },
    user('Thanks'),
  ]);
  expect(api.refused).toEqual([]);
  const texts = api.received.map(({ text }) => text);
  expect(texts[2]!.startsWith(beginning(texts[1]!))).toBe(true);
});

test.each([
  ['max_tokens', 'length'],
  ['refusal', 'refused'],
  ['stop_sequence', 'done'],
  ['model_context_window_exceeded', 'length'],
  ['something_new', 'other'],
])('an answer that ends with %s is told as %s', async (stop, reason) => {
  await using api = await open({ blocks: [{ type: 'text', text: 'So' }], stop });
  expect((await receive(anthropicAt(api.url))).end?.reason).toBe(reason);
});

test('what a server of the user wants from the model is asked for in the names of the API', async () => {
  await using api = await open([{ type: 'text', text: 'So' }]);
  const model = anthropicAt(api.url, { name: 'claude-haiku-4-5' });
  const setting = {
    maxTokens: 50,
    temperature: 0.5,
    stopSequences: ['END'],
    toolChoice: 'required',
    tools: [look],
  } as const;
  await receive(model, toRequest([user('Hello')], setting));
  expect(api.refused).toEqual([]);
  expect(api.requests[0]).toMatchObject({
    max_tokens: 50,
    temperature: 0.5,
    stop_sequences: ['END'],
    tool_choice: { type: 'any' },
  });
});

test('images of the user go out as images, and what cannot be shown is said', async () => {
  await using api = await open([{ type: 'text', text: 'A dot' }]);
  const parts = [
    { kind: 'text', text: '  ' },
    { kind: 'image', mimeType: 'image/png', data: PNG },
    { kind: 'image', mimeType: 'image/tiff', data: PNG },
  ] as const;
  await receive(anthropicAt(api.url), toRequest([{ role: 'user', parts }]));
  expect(api.refused).toEqual([]);
  expect(toList(api.requests[0]!['messages'])[0]).toEqual({
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: '[An image that cannot be shown: image/tiff]' },
    ],
  });
});

test('the same request gives the same bytes', async () => {
  await using api = await open([{ type: 'text', text: 'A' }], [{ type: 'text', text: 'B' }]);
  const model = anthropicAt(api.url);
  await receive(model);
  await receive(model, HELLO);
  expect(api.received[0]!.text).toBe(api.received[1]!.text);
  expect(api.received[0]!.headers).toEqual(api.received[1]!.headers);
});
