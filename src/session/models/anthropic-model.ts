import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { VERSION } from '../../base/version.js';
import type { ModelEvent, ModelPort, ModelRequest, StopReason } from '../model-port.js';
import { AnthropicBlocks } from './anthropic-blocks.js';
import { toAnthropicBody } from './anthropic-request.js';
import type { ModelOptions } from './endpoint.js';
import { openModel, type Talk } from './open-model.js';
import { readUsage } from './usage.js';

/** A model behind Anthropic's Messages API, or one that speaks like it. */
export function openAnthropicModel(options: ModelOptions): ModelPort {
  return openModel(options, {
    profile: 'anthropic',
    contextTokens: CONTEXT,
    talk,
  });
}

const CONTEXT = 200_000; // what every current model takes; some more, where that is asked for
const MAX_TOKENS = 32_000; // enough for a long file; the SDK lowers it for old models that have less

async function* talk({ options, request, signal, post, check }: Talk): AsyncGenerator<ModelEvent> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const { name, endpoint, maxTokens = MAX_TOKENS } = options;
  const { key } = endpoint;
  const provider = createAnthropic({
    baseURL: endpoint.baseUrl,
    ...(key?.sentAs === 'bearer' ? { authToken: key.secret.reveal() } : { apiKey: key?.secret.reveal() ?? 'none' }),
    headers: { 'user-agent': `plugboard/${VERSION}` },
    fetch: (_url, init) => post(init, (body) => ({ ...withoutMessages(body), ...toAnthropicBody(request) })),
  });
  const { stream } = await provider(name).doStream({
    prompt: [],
    maxOutputTokens: request.maxTokens ?? maxTokens,
    ...toSampling(request),
    includeRawChunks: true,
    abortSignal: signal,
  });
  const blocks = new AnthropicBlocks();
  for await (const part of check(stream)) yield* toEvents(part, blocks);
}

/** What the SDK has written of a conversation that it has not seen. */
function withoutMessages(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { messages: _, ...rest } = body;
  return rest;
}

function toSampling({ temperature, stopSequences }: ModelRequest): { temperature?: number; stopSequences?: string[] } {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
  };
}

/** What was said is taken from the API's own events, so that it can go back as it came; how it ended, from the SDK. */
function toEvents(part: LanguageModelV3StreamPart, blocks: AnthropicBlocks): readonly ModelEvent[] {
  if (part.type === 'raw') return blocks.read(part.rawValue);
  if (part.type !== 'finish') return [];
  return [{ kind: 'end', reason: REASONS[part.finishReason.raw ?? ''] ?? 'other', usage: readUsage(part.usage) }];
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'done',
  stop_sequence: 'done',
  tool_use: 'calls',
  pause_turn: 'paused',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};
