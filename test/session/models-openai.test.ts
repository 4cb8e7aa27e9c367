import { expect, test } from 'vitest';
import { openai as profile } from '../../src/model/profiles/openai.js';
import type { Message } from '../../src/session/message.js';
import { localDialect, openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi, toList } from '../fixtures/scripted-api.js';
import { receive, KEY, openaiAt, toEndpoint, toRequest, user, wordsOf } from './models-scene.js';

const parameters = { type: 'object', properties: { q: { type: 'string', 'x-odd': [1, null] } } };
const look = { type: 'function', function: { name: 'look', description: 'Looks', parameters } };
const PNG = 'iVBORw0KGgo=';

function open(...turns: readonly Reply<OpenaiTurn>[]): Promise<ScriptedApi> {
  return openScriptedApi(openaiDialect, (turn) => turns[turn - 1]);
}

function beginning(text: string): string {
  return text.replace(/[\]}]+$/u, '');
}

test('the words of a model come as it says them, then whole, with what they have cost', async () => {
  const usage = { prompt_tokens: 50, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 32 } };
  await using api = await open({ content: 'Good morning', usage });
  const received = await receive(openaiAt(api.url));
  expect([received.error, api.refused]).toEqual([undefined, []]);
  expect(received.events).toEqual([
    { kind: 'text', text: 'Good m' },
    { kind: 'text', text: 'orning' },
    { kind: 'part', part: { kind: 'text', text: 'Good morning' } },
    { kind: 'end', reason: 'done', usage: { input: 50, output: 9, cacheRead: 32, cacheWrite: 0 } },
  ]);
  expect(api.received[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
});

test('tools and instructions go out as they are meant, and nothing that nobody asked for', async () => {
  await using api = await open({ content: 'Yes' });
  await receive(openaiAt(api.url), toRequest([user('Hello')], { tools: [look], system: ['Stable', 'Of servers'] }));
  expect(api.refused).toEqual([]);
  expect(api.requests[0]).toEqual({
    model: 'qwen',
    stream: true,
    stream_options: { include_usage: true },
    tools: [look],
    messages: [
      { role: 'system', content: 'Stable\n\nOf servers' },
      { role: 'user', content: 'Hello' },
    ],
  });
  expect(JSON.stringify(api.requests[0]!['tools'])).toBe(JSON.stringify([look]));
});

const calling: OpenaiTurn = {
  reasoning: 'Let me see.',
  content: 'I look around.',
  calls: [
    { id: 'call_1', name: 'look', arguments: '{ "q":  "a" }' },
    { id: 'call_2', name: 'look', arguments: '' },
    { id: 'call_3', name: 'look', arguments: '{"q":' },
    { id: 'call_4', name: 'look', arguments: '[1]' },
  ],
};

test('calls come with their arguments, and those that cannot be read say why', async () => {
  await using api = await open(calling);
  const received = await receive(openaiAt(api.url), toRequest([user('Hello')], { tools: [look] }));
  expect([received.error, received.end?.reason, wordsOf(received, 'reasoning')]).toEqual([
    undefined,
    'calls',
    'Let me see.',
  ]);
  expect(received.parts).toMatchObject([
    { kind: 'reasoning', text: 'Let me see.' },
    { kind: 'text', text: 'I look around.' },
    { kind: 'call', id: 'call_1', name: 'look', input: { q: 'a' } },
    { kind: 'call', id: 'call_2', input: {} },
    { kind: 'call', id: 'call_3', input: {}, fault: expect.stringMatching(/not JSON/u) },
    { kind: 'call', id: 'call_4', input: {}, fault: expect.stringMatching(/not an object/u) },
  ]);
  expect(received.parts.map((part) => 'fault' in part)).toEqual([false, false, false, false, true, true]);
  expect(received.events.filter(({ kind }) => kind === 'writing-call')).toHaveLength(4);
});

test('an image in a result follows in a message of its own, and each request begins with the bytes of the one before', async () => {
  await using api = await open(calling, { reasoning_content: 'Hm', content: 'A dot' }, { content: 'Bye' });
  const model = openaiAt(api.url);
  const request = toRequest([], { tools: [look], system: ['Stable'] });
  const messages: Message[] = [user('Look!')];
  const first = await receive(model, { ...request, messages });
  const image = { type: 'image', mimeType: 'image/png', data: PNG };
  const results = profile.toToolResults(
    ['call_1', 'call_2', 'call_3', 'call_4'].map((callId) => ({
      callId,
      name: 'look',
      outcome: 'ok',
      content: [image],
    })),
  );
  messages.push({ role: 'assistant', parts: first.parts }, { role: 'results', results }, user('[From the host: news]'));
  const second = await receive(model, { ...request, messages });
  messages.push({ role: 'assistant', parts: second.parts }, user('Thanks'));
  await receive(model, { ...request, messages });
  expect(api.refused).toEqual([]);
  const [, , said, ...rest] = toList(api.requests[2]!['messages']);
  expect(said).toMatchObject({ role: 'assistant', content: 'I look around.', reasoning: 'Let me see.' });
  expect(toList(said!['tool_calls']).map(({ function: made }) => made)).toEqual([
    { name: 'look', arguments: '{ "q":  "a" }' },
    { name: 'look', arguments: '{}' },
    { name: 'look', arguments: '{}' },
    { name: 'look', arguments: '{}' },
  ]);
  expect(rest.map(({ role }) => role)).toEqual(['tool', 'tool', 'tool', 'tool', 'user', 'assistant', 'user']);
  expect(JSON.stringify(rest.slice(0, 4))).not.toContain(PNG);
  expect(JSON.stringify(rest[4])).toContain(`data:image/png;base64,${PNG}`);
  expect(JSON.stringify(rest[4])).toContain('[From the host: news]');
  expect(rest[5]).toEqual({ role: 'assistant', content: 'A dot', reasoning_content: 'Hm' });
  const texts = api.received.map(({ text }) => text);
  expect(texts[1]!.startsWith(beginning(texts[0]!))).toBe(true);
  expect(texts[2]!.startsWith(beginning(texts[1]!))).toBe(true);
});

test('a model on this machine needs no key, and gets none', async () => {
  await using api = await openScriptedApi(localDialect, () => ({ content: 'Here' }));
  const endpoint = { ...toEndpoint('openai', api.url), key: undefined };
  const received = await receive(openaiAt(api.url, { endpoint, maxTokens: 99 }));
  expect([wordsOf(received), api.refused]).toEqual(['Here', []]);
  expect(api.received[0]!.headers.authorization).toBeUndefined();
  expect(api.requests[0]!['max_tokens']).toBe(99);
});

test('an endpoint that keeps the connection open after its last word is not waited for', async () => {
  await using api = await open({ mischief: 'linger', turn: { content: 'All' } });
  const received = await receive(openaiAt(api.url));
  expect([wordsOf(received), received.end?.reason]).toEqual(['All', 'done']);
});

test.each([
  ['length', 'length'],
  ['content_filter', 'refused'],
  ['stop', 'done'],
  ['odd', 'other'],
])('an answer that ends with %s is told as %s', async (finish, reason) => {
  await using api = await open({ content: 'So', finish });
  expect((await receive(openaiAt(api.url))).end?.reason).toBe(reason);
});
