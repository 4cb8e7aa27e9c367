import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, test } from 'vitest';
import { AnthropicAnswer } from '../../src/session/models/anthropic-answer.js';
import { OpenaiAnswer } from '../../src/session/models/openai-answer.js';
import { receivedBy } from './hear-stream.js';
import { anthropicStreams, openaiStreams } from './model-streams.js';

/** What both readers can tell of a response, whatever their events are called. */
interface Told {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly reason: string;
  readonly usage: object;
}

const REASONS: Readonly<Record<string, string>> = {
  stop: 'done',
  'tool-calls': 'calls',
  length: 'length',
  'content-filter': 'refused',
};

/** The response as the AI SDK reads the same stream. */
async function toldBySdk(api: 'anthropic' | 'openai', text: string): Promise<Told> {
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = (): Promise<Response> => Promise.resolve(new Response(text, { headers }));
  const options = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'key', fetch };
  const model =
    api === 'anthropic'
      ? createAnthropic(options)('claude-sonnet-5-5')
      : createOpenAICompatible({ ...options, name: 'openai' })('m');
  const { stream } = await model.doStream({ prompt: [] });
  const told = { text: '', reasoning: '', calls: [] as Told['calls'][number][], reason: '', usage: {} };
  for await (const part of stream) {
    if (part.type === 'text-delta') told.text += part.delta;
    if (part.type === 'reasoning-delta') told.reasoning += part.delta;
    if (part.type === 'tool-call') {
      told.calls.push({ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) });
    }
    if (part.type === 'error') throw part.error;
    if (part.type !== 'finish') continue;
    const { inputTokens, outputTokens } = part.usage;
    told.reason = REASONS[part.finishReason.unified] ?? 'other';
    told.usage = {
      input: inputTokens.total ?? 0,
      output: outputTokens.total ?? 0,
      cacheRead: inputTokens.cacheRead ?? 0,
      cacheWrite: inputTokens.cacheWrite ?? 0,
    };
  }
  return told;
}

function toldByUs(api: 'anthropic' | 'openai', text: string): Told {
  const events = receivedBy(api === 'anthropic' ? new AnthropicAnswer() : new OpenaiAnswer(), [Buffer.from(text)]);
  const words = (kind: 'text' | 'reasoning'): string =>
    events.map((event) => (event.kind === kind ? event.text : '')).join('');
  const calls = events.flatMap((event) =>
    event.kind === 'part' && event.part.kind === 'call'
      ? [{ id: event.part.id, name: event.part.name, input: event.part.input }]
      : [],
  );
  const end = events.at(-1);
  if (end?.kind !== 'end') throw new Error('The answer has no end');
  return { text: words('text'), reasoning: words('reasoning'), calls, reason: end.reason, usage: end.usage };
}

test.each(anthropicStreams)('an answer of Anthropic is read as by its users elsewhere: $what', async ({ text }) => {
  expect(toldByUs('anthropic', text)).toEqual(await toldBySdk('anthropic', text));
});

test.each(openaiStreams)(
  'an answer like those of OpenAI is read as by its users elsewhere: $what',
  async ({ text }) => {
    expect(toldByUs('openai', text)).toEqual(await toldBySdk('openai', text));
  },
);
