import { expect, test } from 'vitest';
import type { ModelEvent, ModelPort, ModelRequest } from '../../src/session/model-port.js';
import { chooseModel } from '../../src/session/models/choose-model.js';
import type { ModelTuning } from '../../src/session/models/model-tuning.js';
import { FakeClock, turn } from '../fake-clock.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, type ScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicAt, HELLO, KEY, openaiAt, receive, toRequest, user, wordsOf } from './models-scene.js';

const yes = [{ type: 'text', text: 'Yes' }];
const openAnthropic = (): Promise<ScriptedApi> => openScriptedApi<AnthropicTurn>(anthropicDialect, () => yes);

const adaptive = { kind: 'adaptive' } as const;
const disabled = { kind: 'disabled' } as const;
const budget = (tokens: number) => ({ kind: 'budget', tokens }) as const;
const server = { maxTokens: 5_000, temperature: 0.5 };

test.each<[name: string, tuning: ModelTuning, more: Partial<ModelRequest>, sent: object, unsupported: string[]]>([
  ['claude-sonnet-5-5', {}, {}, {}, []],
  ['claude-sonnet-5-5', { thinking: adaptive }, {}, { thinking: { type: 'adaptive' } }, []],
  ['claude-sonnet-5-5', { thinking: budget(9_000) }, {}, { thinking: { type: 'adaptive' } }, ['thinking']],
  ['claude-sonnet-5-5', { thinking: disabled }, {}, {}, []],
  ['claude-opus-4-6', { thinking: adaptive }, {}, { thinking: { type: 'adaptive' } }, []],
  [
    'claude-opus-4-6',
    { thinking: budget(9_000) },
    {},
    { thinking: { type: 'enabled', budget_tokens: 9_000 }, max_tokens: 32_000 },
    [],
  ],
  ['claude-haiku-4-5', { thinking: disabled }, {}, { thinking: { type: 'disabled' } }, []],
  ['claude-haiku-4-5', { thinking: adaptive }, {}, {}, ['thinking']],
  ['claude-haiku-4-5', { thinking: budget(90_000) }, {}, { thinking: { type: 'enabled', budget_tokens: 31_999 } }, []],
  ['claude-haiku-4-5', { thinking: budget(500) }, {}, {}, []],
  ['claude-haiku-4-5', { thinking: budget(9_000) }, { maxTokens: 100 }, { max_tokens: 100 }, []],
  ['claude-haiku-4-5', { thinking: budget(2_000) }, server, { max_tokens: 5_000, temperature: 0.5 }, []],
  ['claude-3-haiku-20240307', { thinking: budget(2_000) }, {}, {}, ['thinking']],
  ['claude-sonnet-5-5', { thinking: adaptive }, { maxTokens: 100 }, { max_tokens: 100 }, []],
  ['kimi-k3', { thinking: budget(2_000) }, {}, { thinking: { type: 'enabled', budget_tokens: 2_000 } }, []],
  ['claude-sonnet-5-5', { effort: 'max' }, {}, { output_config: { effort: 'max' } }, []],
  ['claude-opus-4-5', { effort: 'low' }, {}, { output_config: { effort: 'low' } }, []],
  ['claude-haiku-4-5', { effort: 'low' }, {}, {}, ['effort']],
  ['claude-sonnet-5-5', { effort: 'a"b' }, {}, {}, ['effort']],
  [
    'claude-sonnet-5-5',
    { effort: 'high', taskBudget: 64_000 },
    {},
    { output_config: { effort: 'high', task_budget: { type: 'tokens', total: 64_000 } } },
    [],
  ],
  ['claude-opus-4-6', { taskBudget: 64_000 }, {}, {}, ['taskBudget']],
])('%s with %j is asked in a way that its API takes', async (name, tuning, more, sent, unsupported) => {
  await using api = await openAnthropic();
  const model = anthropicAt(api.url, { name, tuning });
  expect(wordsOf(await receive(model, toRequest([user('Hello')], more)))).toBe('Yes');
  const { model: _, messages: __, stream: ___, cache_control: ____, max_tokens: limit, ...rest } = api.requests[0]!;
  expect('max_tokens' in sent ? { max_tokens: limit, ...rest } : rest).toEqual(sent);
  expect([api.refused, model.unsupported]).toEqual([[], unsupported]);
});

test('a tool that has to be used is asked for without thinking, which the API would refuse beside it', async () => {
  await using api = await openAnthropic();
  const tools = [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }];
  const model = anthropicAt(api.url, { tuning: { thinking: adaptive } });
  await receive(model, toRequest([user('Hello')], { tools, toolChoice: 'required' }));
  expect([api.refused, api.requests[0]!['thinking']]).toEqual([[], undefined]);
});

test('betas are one header, and a name that is none is left out and named', async () => {
  await using api = await openAnthropic();
  const betas = ['context-1m-2025-08-07', 'x\r\nevil: 1', 'advanced-tool-use-2025-11-20'];
  const model = anthropicAt(api.url, { tuning: { betas, taskBudget: 20_000 } });
  await receive(model);
  expect(api.received[0]!.headers['anthropic-beta']).toBe(
    'context-1m-2025-08-07,advanced-tool-use-2025-11-20,task-budgets-2026-03-13',
  );
  expect([api.refused, model.unsupported]).toEqual([[], ['betas']]);
});

test('an API like OpenAI’s takes the effort, and what it does not have is named', async () => {
  await using api = await openScriptedApi<OpenaiTurn>(openaiDialect, () => ({ content: 'Yes' }));
  const tuning: ModelTuning = { effort: 'max', thinking: adaptive, betas: ['a'], taskBudget: 9 };
  const model = openaiAt(api.url, { tuning });
  await receive(model);
  expect([api.requests[0]!['reasoning_effort'], api.refused]).toEqual(['xhigh', []]);
  expect(model.unsupported).toEqual(['thinking', 'betas', 'taskBudget']);
});

test('a model is tuned otherwise without being asked about again', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => yes, {
    models: [{ id: 'claude-haiku-4-5', max_input_tokens: 500_000 }],
  });
  const model = anthropicAt(api.url, { name: 'claude-haiku-4-5', tuning: { thinking: budget(2_000) } });
  await receive(model);
  await model.findContextTokens?.();
  const tuned = model.tuned!({ thinking: budget(4_000) });
  await receive(tuned);
  expect(api.requests.map(({ thinking }) => (thinking as { budget_tokens: number }).budget_tokens)).toEqual([
    2_000, 4_000,
  ]);
  expect([tuned.contextTokens, api.listed.length]).toEqual([500_000, 1]);
});

/** Passes the time of each retry. */
async function receiveAll(model: (clock: FakeClock) => ModelPort, request = HELLO) {
  const clock = new FakeClock();
  return receive(model(clock), request, {
    onEvent: (event) => {
      if (event.kind === 'retry') void turn().then(() => clock.pass(event.afterMs));
    },
  });
}

test('when a model is overloaded after all retries, the fallback model answers, and that is told', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, (_, body) =>
    body['model'] === 'claude-opus-5' ? { mischief: 'refuse', status: 529, body: '', headers: {} } : yes,
  );
  const thought = { kind: 'reasoning', text: 'Hm', extra: { type: 'thinking', signature: 'sig-opus' } } as const;
  const messages = [user('Hello'), { role: 'assistant', parts: [thought, { kind: 'text', text: 'Hi' }] }] as const;
  const fallback = anthropicAt(api.url, { name: 'claude-haiku-4-5' });
  const received = await receiveAll(
    (clock) => anthropicAt(api.url, { name: 'claude-opus-5', clock, fallback }),
    toRequest([...messages, user('And?')]),
  );
  expect([received.error, wordsOf(received), api.refused]).toEqual([undefined, 'Yes', []]);
  const retries = received.events.filter(
    (event): event is Extract<ModelEvent, { kind: 'retry' }> => event.kind === 'retry',
  );
  expect(retries.map(({ reason }) => reason)).toEqual([
    'HTTP 529',
    'HTTP 529',
    'HTTP 529',
    'HTTP 529; claude-haiku-4-5 is asked instead',
  ]);
  expect(api.requests.map(({ model }) => model)).toEqual([
    ...Array.from({ length: 4 }, () => 'claude-opus-5'),
    'claude-haiku-4-5',
  ]);
  // The thoughts of one model are not those of another.
  expect(JSON.stringify(api.requests.at(-1))).not.toContain('signature');
});

test('a refusal is no reason to ask the fallback model', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => ({
    mischief: 'refuse',
    status: 400,
    body: '',
    headers: {},
  }));
  const fallback = anthropicAt(api.url, { name: 'claude-haiku-4-5' });
  const { error } = await receiveAll((clock) => anthropicAt(api.url, { clock, fallback }));
  expect([error?.code, api.requests.length]).toEqual(['model-failed', 1]);
});

test.each<[string, Record<string, string>, string, string[]]>([
  ['of the same API', { ANTHROPIC_API_KEY: KEY }, 'claude-haiku-4-5', []],
  ['of another API', { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY }, 'openai/gpt-9', ['fallbackModel']],
  ['without a key', { ANTHROPIC_API_KEY: KEY }, 'openai/gpt-9', ['fallbackModel']],
])('a fallback model %s', async (_, env, fallbackModel, unsupported) => {
  const chosen = await chooseModel({ name: 'claude-opus-5', tuning: { fallbackModel }, env, cwd: '/' });
  expect(chosen.kind === 'model' && chosen.model.unsupported).toEqual(unsupported);
});
