import { expect, test } from 'vitest';
import { Watched } from '../../src/base/watched.js';
import type { ModelPort } from '../../src/session/model-port.js';
import { chooseModel } from '../../src/session/models/choose-model.js';
import { readContextTokens } from '../../src/session/models/model-list.js';
import { anthropicDialect } from '../fixtures/anthropic-dialect.js';
import { localDialect, openaiDialect } from '../fixtures/openai-dialect.js';
import { type Json, openScriptedApi, type ScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicAt, openaiAt, receive, wordsOf } from './models-scene.js';

const hi = [{ type: 'text', text: 'Hi' }];

function openAnthropic(...models: readonly (string | Json)[]): Promise<ScriptedApi> {
  return openScriptedApi(anthropicDialect, () => hi, { models });
}

function openOpenai(...models: readonly (string | Json)[]): Promise<ScriptedApi> {
  return openScriptedApi(openaiDialect, () => ({ content: 'Hi' }), { models });
}

/** The sizes before the first request, and once the provider was asked. */
async function sizes(model: ModelPort): Promise<readonly (number | undefined)[]> {
  const before = model.contextTokens;
  await receive(model);
  return [before, await model.findContextTokens?.(), model.contextTokens];
}

test('the context window is what the provider lists for the model, once it has said so', async () => {
  await using api = await openAnthropic({ id: 'claude-sonnet-5-5', max_input_tokens: 1_000_000, max_tokens: 128_000 });
  expect(await sizes(anthropicAt(api.url))).toEqual([200_000, 1_000_000, 1_000_000]);
  await using other = await openOpenai({ id: 'llama', context_length: 9_000 }, { id: 'qwen', max_model_len: 32_768 });
  expect(await sizes(openaiAt(other.url))).toEqual([128_000, 32_768, 32_768]);
  expect([api.listed, other.listed]).toEqual([['/v1/models/claude-sonnet-5-5'], ['/v1/models']]);
});

test('the first answer does not wait for it', async () => {
  const mayList = new Watched(false);
  await using api = await openScriptedApi(anthropicDialect, () => hi, {
    models: [{ id: 'claude-sonnet-5-5', max_input_tokens: 1_000_000 }],
    listing: mayList.until((may) => may),
  });
  const model = anthropicAt(api.url);
  expect([wordsOf(await receive(model)), model.contextTokens]).toEqual(['Hi', 200_000]);
  mayList.set(true);
  // It is still the first request for the list that is answered now.
  expect([await model.findContextTokens?.(), api.listed.length]).toEqual([1_000_000, 1]);
});

test('nobody is asked where you say the size, nor twice', async () => {
  await using api = await openAnthropic({ id: 'claude-sonnet-5-5', max_input_tokens: 1_000_000 });
  expect(await sizes(anthropicAt(api.url, { contextTokens: 50_000 }))).toEqual([50_000, 50_000, 50_000]);
  expect(api.listed).toEqual([]);
  const model = anthropicAt(api.url);
  await Promise.all([sizes(model), sizes(model), model.findContextTokens?.()]);
  await sizes(model);
  expect(api.listed).toHaveLength(1);
});

test('an endpoint that lists no such model, or none at all, is asked three times at most', async () => {
  await using api = await openScriptedApi(anthropicDialect, () => hi);
  await using other = await openOpenai('llama', 'qwen');
  expect(await sizes(anthropicAt(api.url))).toEqual([200_000, 200_000, 200_000]);
  expect(await sizes(openaiAt(other.url))).toEqual([128_000, 128_000, 128_000]);
  await using missing = await openAnthropic('claude-opus-5');
  const model = anthropicAt(missing.url);
  for (let count = 0; count < 5; count++) await model.findContextTokens?.();
  expect(missing.listed).toHaveLength(3);
});

test('the only model of an endpoint brings its size along', async () => {
  await using api = await openScriptedApi(localDialect, () => ({ content: 'Hi' }), {
    models: [{ id: 'qwen3:8b', meta: { n_ctx: 8_192, n_ctx_train: 131_072 } }],
  });
  const chosen = await chooseModel({ env: { OPENAI_BASE_URL: api.url }, cwd: '/' });
  expect(chosen.kind === 'model' && (await sizes(chosen.model))).toEqual([8_192, 8_192, 8_192]);
  expect(api.listed).toHaveLength(1);
  // It answers to any name.
  expect((await sizes(openaiAt(api.url, { name: 'mine' })))[1]).toBe(8_192);
});

test.each<[api: string, model: unknown, size: number | undefined]>([
  ['Anthropic', { max_input_tokens: 1_000_000, max_tokens: 64_000 }, 1_000_000],
  ['OpenRouter', { context_length: 1_048_576, top_provider: { context_length: 262_144 } }, 262_144],
  ['OpenRouter without a provider', { context_length: 8_192, top_provider: { context_length: null } }, 8_192],
  ['Groq', { context_window: 131_072 }, 131_072],
  ['LM Studio', { max_context_length: 131_072, loaded_context_length: 4_096 }, 4_096],
  ['a list of names', { id: 'x', object: 'model', created: 1_700_000_000 }, undefined],
  ['a liar (0)', { context_length: 0 }, undefined],
  ['a liar (-1)', { context_length: -1 }, undefined],
  ['a liar (1e12)', { context_length: 1e12 }, undefined],
  ['a liar (text)', { context_length: '32768', max_model_len: [32_768] }, undefined],
  ['a liar (1.5)', { context_length: 4_096.5 }, undefined],
  ['one lie of two', { context_length: 0, max_model_len: 32_768 }, 32_768],
  ['nothing', null, undefined],
])('%s says how large the window is', (_, model, size) => {
  expect(readContextTokens(model)).toBe(size);
});
