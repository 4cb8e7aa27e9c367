import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.js';
import type { ModelRequest } from '../../src/session/model-port.js';
import type { ModelOptions } from '../../src/session/models/model-endpoint.js';
import { toOpenaiBody } from '../../src/session/models/openai-request.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, type Received } from '../fixtures/scripted-api.js';
import { anthropicAt, HELLO, receive, KEY, openaiAt, toEndpoint, toRequest, user } from './models-scene.js';

async function toAnthropic(request: ModelRequest, options: Partial<ModelOptions> = {}): Promise<Received> {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => [{ type: 'text', text: 'Yes' }]);
  await receive(anthropicAt(api.url, options), request);
  return api.received[0]!;
}

async function toOpenai(request: ModelRequest): Promise<Received> {
  await using api = await openScriptedApi<OpenaiTurn>(openaiDialect, () => ({ content: 'Yes' }));
  await receive(openaiAt(api.url), request);
  return api.received[0]!;
}

const setting = {
  system: ['One', 'Two'],
  maxTokens: 50,
  temperature: 0.5,
  stopSequences: ['END'],
  toolChoice: 'required',
} as const;
const schema = { type: 'object', properties: {} };

test('a request to Anthropic is these bytes, with these headers and no others', async () => {
  const tools = [{ name: 'look', description: 'Looks', input_schema: schema }];
  const { text, headers } = await toAnthropic(toRequest([user('Hello')], { ...setting, tools }), {
    name: 'claude-haiku-4-5',
  });
  const mark = '"cache_control":{"type":"ephemeral"}';
  expect(text).toBe(
    '{"model":"claude-haiku-4-5","max_tokens":50,"temperature":0.5,"stop_sequences":["END"],"stream":true,' +
      `${mark},"tool_choice":{"type":"any"},` +
      `"tools":[{"name":"look","description":"Looks","input_schema":{"type":"object","properties":{}},${mark}}],` +
      `"system":[{"type":"text","text":"One",${mark}},{"type":"text","text":"Two",${mark}}],` +
      '"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}]}',
  );
  const { host: _, ...rest } = headers;
  expect(rest).toEqual({
    connection: 'keep-alive',
    'user-agent': `plugboard/${VERSION}`,
    'anthropic-version': '2023-06-01',
    'x-api-key': KEY,
    'content-type': 'application/json',
    'content-length': String(text.length),
  });
});

test('a token of Anthropic goes out as a token, and no key beside it', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => [{ type: 'text', text: 'Yes' }]);
  const { key: own, ...endpoint } = toEndpoint('anthropic', api.url);
  await receive(anthropicAt(api.url, { endpoint: { ...endpoint, key: { ...own!, sentAs: 'bearer' } } }));
  const { authorization, 'x-api-key': key } = api.received[0]!.headers;
  expect([authorization, key]).toEqual([`Bearer ${KEY}`, undefined]);
});

test('a request to OpenAI is these bytes, with these headers and no others', async () => {
  const tools = [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: schema } }];
  const { text, headers } = await toOpenai(toRequest([user('Hello')], { ...setting, tools }));
  expect(text).toBe(
    '{"model":"qwen","temperature":0.5,"stop":["END"],"stream":true,"stream_options":{"include_usage":true},' +
      '"max_tokens":50,"tool_choice":"required",' +
      '"tools":[{"type":"function","function":{"name":"look","description":"Looks","parameters":{"type":"object","properties":{}}}}],' +
      '"messages":[{"role":"system","content":"One\\n\\nTwo"},{"role":"user","content":"Hello"}]}',
  );
  const { host: _, ...rest } = headers;
  expect(rest).toEqual({
    connection: 'keep-alive',
    'user-agent': `plugboard/${VERSION}`,
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'content-length': String(text.length),
  });
});

test('OpenAI itself is told the limit by the name that its models want', () => {
  const endpoint = { ...toEndpoint('openai', 'https://api.openai.com'), key: undefined };
  const body = toOpenaiBody({ name: 'gpt', endpoint, maxTokens: 99 }, HELLO);
  expect([body['max_completion_tokens'], 'max_tokens' in body]).toEqual([99, false]);
});

/** What is sent for an Anthropic model when a million tokens and a temperature of 0.5 are configured. */
test.each<[name: string, maxTokens: number, temperature?: number]>([
  ['claude-sonnet-5-5', 128_000],
  ['claude-opus-5-20260101', 128_000],
  ['claude-fable-5-1', 128_000],
  ['claude-haiku-5-5', 128_000],
  ['claude-opus-4-8', 128_000],
  ['claude-haiku-5', 1_000_000],
  ['claude-new-9', 1_000_000],
  ['claude-sonnet-4-6', 128_000, 0.5],
  ['claude-opus-4-6', 128_000, 0.5],
  ['us.anthropic.claude-sonnet-4-5-v1', 64_000, 0.5],
  ['claude-opus-4-5', 64_000, 0.5],
  ['claude-haiku-4-5', 64_000, 0.5],
  ['claude-sonnet-4-20250514', 64_000, 0.5],
  ['claude-opus-4-1', 32_000, 0.5],
  ['claude-opus-4-20250514', 32_000, 0.5],
  ['claude-3-haiku-20240307', 4_096, 0.5],
  ['claude-3-5-sonnet-latest', 1_000_000, 0.5],
  ['claude-2.1', 1_000_000, 0.5],
  ['claude-instant-1', 1_000_000, 0.5],
  ['glm-4', 1_000_000, 0.5],
])('%s is asked for what it takes', async (name, maxTokens, temperature) => {
  const { text } = await toAnthropic(toRequest([user('Hello')], { maxTokens: 1_000_000, temperature: 0.5 }), { name });
  const body = JSON.parse(text) as { max_tokens: number; temperature?: number };
  expect([body.max_tokens, body.temperature]).toEqual([maxTokens, temperature]);
});

test('a temperature beyond what Anthropic takes is brought into its range', async () => {
  for (const [temperature, sent] of [
    [7, 1],
    [-1, 0],
  ] as const) {
    const { text } = await toAnthropic(toRequest([user('Hello')], { temperature }), { name: 'claude-haiku-4-5' });
    expect(JSON.parse(text)).toMatchObject({ max_tokens: 32_000, temperature: sent });
  }
});
