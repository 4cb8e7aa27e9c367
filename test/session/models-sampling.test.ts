import { expect, test } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import type { SamplingBlock, SamplingRequest } from '../../src/model/sampling.js';
import { type ModelPort, NO_USAGE } from '../../src/session/model-port.js';
import { type SamplingEvent, toSamplingPort } from '../../src/session/sampling-model.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, toList } from '../fixtures/scripted-api.js';
import { anthropicAt, openaiAt } from './models-scene.js';
import { say, scriptedModel } from './scripted-model.js';

const PNG = 'iVBORw0KGgo=';
const image = { type: 'image', mimeType: 'image/png', data: PNG };
const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }];
const use = { type: 'tool_use', id: 'use_1', name: 'look', input: { a: 1 } };
const result = { type: 'tool_result', toolUseId: 'use_1', content: [{ type: 'text', text: 'There' }, image] };

function ask(model: ModelPort | undefined, content: readonly SamplingBlock[], more: Partial<SamplingRequest> = {}) {
  const request = { server: 's', maxTokens: 100, messages: [{ role: 'user', content }], ...more } as const;
  return toSamplingPort(() => model).createMessage(request, new AbortController().signal);
}

test('a server gets an answer from the model of the session', async () => {
  const turns: AnthropicTurn[] = [
    [{ type: 'text', text: 'Blue' }],
    { blocks: [{ type: 'text', text: 'Blue and' }], stop: 'max_tokens' },
  ];
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, (turn) => turns[turn - 1]);
  const model = anthropicAt(api.url);
  const answer = await ask(model, [{ type: 'text', text: 'Which colour?' }, image], { systemPrompt: 'Be brief' });
  expect(answer).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'Blue' },
    model: 'claude-sonnet-5-5',
    stopReason: 'endTurn',
  });
  expect(api.requests[0]).toMatchObject({ max_tokens: 100, system: [{ text: 'Be brief' }] });
  expect(JSON.stringify(api.requests[0]!['messages'])).toContain(PNG);
  expect((await ask(model, [{ type: 'text', text: 'And?' }])).stopReason).toBe('maxTokens');
  expect(api.refused).toEqual([]);
});

const messages = [
  { role: 'user', content: [{ type: 'text', text: 'Look' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'I look' }, use] },
  { role: 'user', content: [result] },
] as const;

test('a server that brings tools along has them used, with either API', async () => {
  const blocks = [{ type: 'tool_use', id: 'toolu_2', name: 'look', input: { b: 2 } }];
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => blocks);
  const calls = [{ id: 'call_2', name: 'look', arguments: '{"b":2}' }];
  await using other = await openScriptedApi<OpenaiTurn>(openaiDialect, () => ({ calls }));
  const more = { messages, tools, toolChoice: { mode: 'auto' } } as const;
  const answers = [await ask(anthropicAt(api.url), [], more), await ask(openaiAt(other.url), [], more)];
  expect([api.refused, other.refused]).toEqual([[], []]);
  expect(answers).toMatchObject([
    { stopReason: 'toolUse', content: { type: 'tool_use', id: 'toolu_2', name: 'look', input: { b: 2 } } },
    { stopReason: 'toolUse', content: { type: 'tool_use', id: 'call_2', name: 'look', input: { b: 2 } } },
  ]);
  expect(toList(toList(api.requests[0]!['messages'])[2]!['content'])[0]).toMatchObject({
    type: 'tool_result',
    tool_use_id: 'use_1',
    content: [{ text: 'There' }, { type: 'image' }],
  });
  expect(toList(other.requests[0]!['messages']).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
});

test('an answer that breaks off is none', async () => {
  const model = scriptedModel([
    async function* () {
      yield { kind: 'part', part: say('Do not') };
    },
  ]);
  await expect(ask(model, [{ type: 'text', text: 'May I?' }])).rejects.toMatchObject({ code: 'model-failed' });
});

test('what a server asks is told with its tokens, also when it fails or is cancelled', async () => {
  const events: SamplingEvent[] = [];
  const stop = new AbortController();
  const model = scriptedModel([
    [say('Blue')],
    async function* () {
      yield { kind: 'part', part: say('Do not') };
    },
    async function* () {
      yield { kind: 'text', text: 'Do' };
      stop.abort();
      throw new HostError('cancelled', 'Stopped');
    },
  ]);
  const port = toSamplingPort(
    () => model,
    (event) => void events.push(event),
  );
  const request = { server: 's', maxTokens: 9, messages } as const;
  for (let count = 0; count < 3; count++) await port.createMessage(request, stop.signal).catch(() => {});
  const began = { kind: 'sampling', phase: 'began', server: 's' };
  const ended = { ...began, phase: 'ended', usage: NO_USAGE };
  expect(events).toEqual([
    began,
    { ...ended, outcome: 'ok', usage: { ...NO_USAGE, input: 10, output: 1 } },
    began,
    { ...ended, outcome: 'failed' },
    began,
    { ...ended, outcome: 'cancelled' },
  ]);
});

test('what the model cannot be given is told by name', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => [{ type: 'text', text: 'Hm' }]);
  const model = anthropicAt(api.url);
  await expect(ask(model, [{ type: 'audio', data: 'x', mimeType: 'audio/wav' }])).rejects.toThrow(/takes no audio/u);
  const odd = [{ name: 'a b', inputSchema: { type: 'object' } }];
  await expect(ask(model, [{ type: 'text', text: 'x' }], { tools: odd })).rejects.toThrow(/tool a b/u);
  await expect(ask(undefined, [{ type: 'text', text: 'x' }])).rejects.toMatchObject({ code: 'no-model' });
  expect(api.requests).toEqual([]);
});
