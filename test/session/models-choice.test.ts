import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { chooseModel, type ModelChoice } from '../../src/session/models/choose-model.js';
import { openProxy } from '../faults/network-fixtures.js';
import { anthropicDialect } from '../fixtures/anthropic-dialect.js';
import { localDialect } from '../fixtures/openai-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { receive, KEY, wordsOf } from './models-scene.js';

type Environment = Record<string, string>;
const ANTHROPIC = { ANTHROPIC_API_KEY: KEY };
const OPENAI = { OPENAI_API_KEY: KEY };
const LOCAL = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/' };

interface Setting {
  readonly name?: string;
  readonly setting?: ModelChoice;
}

/** Compares `profile provider name`, or the error. */
async function check(env: Environment, setting: Setting, expected: string | RegExp): Promise<void> {
  const chosen = await chooseModel({ ...setting, env, cwd: '/' });
  const { model } = chosen.kind === 'model' ? chosen : {};
  const text = model
    ? `${model.profile} ${model.provider} ${model.name}`
    : chosen.kind === 'none'
      ? `${chosen.error.code}: ${chosen.error.message} | ${chosen.error.hint}`
      : '';
  expect(text).toMatch(
    typeof expected === 'string' ? new RegExp(`^${expected.replaceAll('.', String.raw`\.`)}$`, 'u') : expected,
  );
  expect(text).not.toContain(KEY);
}

test.each<[string, Environment, Setting, string | RegExp]>([
  [
    'no variable at all',
    {},
    {},
    /^no-model: No model is configured.*ANTHROPIC_API_KEY.*OPENAI_BASE_URL.*11434.*--model/u,
  ],
  ['a key of Anthropic', ANTHROPIC, {}, 'anthropic Anthropic claude-sonnet-5-5'],
  ['an empty key', { ANTHROPIC_API_KEY: ' ' }, {}, /^no-model/u],
  ['a token of Anthropic', { ANTHROPIC_AUTH_TOKEN: 'x' }, {}, 'anthropic Anthropic claude-sonnet-5-5'],
  ['a model of Anthropic', { ...ANTHROPIC, ANTHROPIC_MODEL: 'claude-x' }, {}, 'anthropic Anthropic claude-x'],
  ['both keys', { ...ANTHROPIC, ...OPENAI }, {}, 'anthropic Anthropic claude-sonnet-5-5'],
  ['both keys and a name', { ...ANTHROPIC, ...OPENAI }, { name: 'gpt-9' }, 'openai OpenAI gpt-9'],
  ['both keys and claude', { ...ANTHROPIC, ...OPENAI }, { name: 'claude-opus-5' }, 'anthropic Anthropic claude-opus-5'],
  ['one key and claude', OPENAI, { name: 'claude-opus-5' }, 'openai OpenAI claude-opus-5'],
  ['one key and gpt', ANTHROPIC, { name: 'gpt-9' }, 'anthropic Anthropic gpt-9'],
  ['a prefix', { ...ANTHROPIC, ...OPENAI }, { name: 'openai/claude-x' }, 'openai OpenAI claude-x'],
  ['a prefix of the other', { ...ANTHROPIC, ...OPENAI }, { name: 'anthropic/qwen' }, 'anthropic Anthropic qwen'],
  ['a prefix without a key', OPENAI, { name: 'anthropic/x' }, /^no-model: The model anthropic\/x .*ANTHROPIC_API_KEY/u],
  ['a prefix that is part of a name', LOCAL, { name: 'anthropic/x' }, 'openai 127.0.0.1:1 anthropic/x'],
  ['a model of OpenAI', { ...OPENAI, OPENAI_MODEL: 'gpt-9' }, {}, 'openai OpenAI gpt-9'],
  ['a URL and a name with a slash', LOCAL, { name: 'qwen/qwen3' }, 'openai 127.0.0.1:1 qwen/qwen3'],
  ['settings', LOCAL, { setting: { name: 'qwen3' } }, 'openai 127.0.0.1:1 qwen3'],
  ['settings and a name', LOCAL, { name: 'other', setting: { name: 'qwen3' } }, 'openai 127.0.0.1:1 other'],
  ['a URL that is none', { OPENAI_BASE_URL: 'localhost:11434' }, {}, /^no-model: OPENAI_BASE_URL is not the URL/u],
  ['a URL with a password', { OPENAI_BASE_URL: 'http://a:b@c/' }, {}, /^no-model: OPENAI_BASE_URL is not the URL/u],
  ['a key with a blank', { ANTHROPIC_API_KEY: 'a b' }, {}, /^no-model: ANTHROPIC_API_KEY holds a character/u],
  [
    'nobody at the URL',
    LOCAL,
    {},
    /^no-model: Plugboard cannot find out which model to use: .*refused.*Is Ollama.*--model NAME/u,
  ],
])('with %s it is clear which model is meant, or what is missing', (_, env, setting, expected) =>
  check(env, setting, expected),
);

test('an endpoint with one model is not asked for its name, and one with several names them', async () => {
  await using one = await openScriptedApi(localDialect, () => ({ content: 'Hi' }), { models: ['qwen3:8b'] });
  await using two = await openScriptedApi(localDialect, () => undefined, { models: ['a', 'b'] });
  await using none = await openScriptedApi(localDialect, () => undefined, { models: [] });
  await check({ OPENAI_BASE_URL: `${one.url}/v1` }, {}, `openai ${new URL(one.url).host} qwen3:8b`);
  await check({ OPENAI_BASE_URL: one.url }, {}, `openai ${new URL(one.url).host} qwen3:8b`);
  await check({ OPENAI_BASE_URL: `${two.url}/v1` }, {}, /^no-model: .* has 2 models.*a, b; with --model NAME/u);
  await check({ OPENAI_BASE_URL: `${none.url}/v1` }, {}, /^no-model: .* has no models/u);
});

test('who stops while an endpoint is asked for its models is told that, and not to name one', async () => {
  const stop = new AbortController();
  const server = createServer(() => stop.abort());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const chosen = await chooseModel({
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}` },
    cwd: '/',
    signal: stop.signal,
  });
  expect(chosen).toMatchObject({ kind: 'none', error: { code: 'cancelled' } });
  server.closeAllConnections();
  server.close();
});

test.each(['', '/', '/v1', '/v1/'])('the URL of Anthropic may end with "%s"', async (path) => {
  await using api = await openScriptedApi(anthropicDialect, () => [{ type: 'text', text: 'Hi' }]);
  const env = { ANTHROPIC_AUTH_TOKEN: 'token', ANTHROPIC_BASE_URL: `${api.url}${path}` };
  const chosen = await chooseModel({ env, cwd: '/' });
  const received = chosen.kind === 'model' ? await receive(chosen.model) : undefined;
  expect([received && wordsOf(received), api.refused]).toEqual(['Hi', []]);
  expect(api.received[0]!.headers).toMatchObject({ authorization: 'Bearer token' });
  expect(api.received[0]!.headers['x-api-key']).toBeUndefined();
});

test('what the settings say of a model counts for that one, and what is said on the command line for any', async () => {
  const setting = { name: 'qwen3', contextTokens: 9_000, maxTokens: 50 };
  const contexts = await Promise.all(
    [
      { setting },
      { setting, name: 'qwen3' },
      { setting, name: 'other' },
      { setting, name: 'other', contextTokens: 7_000 },
      { setting, contextTokens: 7_000 },
    ].map(async (request) => {
      const chosen = await chooseModel({ ...request, env: LOCAL, cwd: '/' });
      return chosen.kind === 'model' && chosen.model.contextTokens;
    }),
  );
  expect(contexts).toEqual([9_000, 9_000, 128_000, 7_000, 7_000]);
});

test('a model is asked through the proxy of the environment', async () => {
  await using api = await openScriptedApi(anthropicDialect, () => [{ type: 'text', text: 'Hi' }]);
  const proxy = await openProxy();
  const { port } = new URL(api.url);
  const env = { ...ANTHROPIC, ANTHROPIC_BASE_URL: `http://models.test:${port}`, HTTP_PROXY: proxy.url };
  const chosen = await chooseModel({ env, cwd: '/' });
  const received = chosen.kind === 'model' ? await receive(chosen.model) : undefined;
  expect(received && wordsOf(received)).toBe('Hi');
  expect(proxy.journal.toSorted()).toEqual([
    `GET http://models.test:${port}/v1/models/claude-sonnet-5-5`,
    `POST http://models.test:${port}/v1/messages`,
  ]);
});

test('choosing a model asks nobody, where its name is known', async () => {
  await using api = await openScriptedApi(anthropicDialect, () => [{ type: 'text', text: 'Hi' }]);
  const other = { OPENAI_BASE_URL: api.url, OPENAI_MODEL: 'm' };
  for (const env of [{ ...ANTHROPIC, ANTHROPIC_BASE_URL: api.url }, other]) {
    expect((await chooseModel({ env, cwd: '/' })).kind).toBe('model');
  }
  expect(api.connections).toBe(0);
});
