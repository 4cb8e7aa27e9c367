import { VERSION } from '../../base/version.js';
import type { ModelEvent, ModelPort } from '../model-port.js';
import type { ModelOptions } from './endpoint.js';
import { openModel, type Talk } from './open-model.js';
import { OpenaiParts } from './openai-parts.js';
import { toOpenaiBody } from './openai-request.js';

/** A model behind OpenAI's Chat Completions API, or anything that speaks like it: Ollama, llama.cpp, vLLM, LM Studio. */
export function openOpenaiModel(options: ModelOptions): ModelPort {
  return openModel(options, { profile: 'openai', contextTokens: CONTEXT, talk });
}

const CONTEXT = 128_000;

async function* talk({ options, request, signal, post, check }: Talk): AsyncGenerator<ModelEvent> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { name, endpoint } = options;
  const maxTokens = request.maxTokens ?? options.maxTokens;
  const { temperature, stopSequences } = request;
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: endpoint.baseUrl,
    ...(endpoint.key && { apiKey: endpoint.key.secret.reveal() }),
    headers: { 'user-agent': `plugboard/${VERSION}` },
    includeUsage: true,
    fetch: (_url, init) => post(init, (body) => ({ ...toOwn(body, endpoint.baseUrl), ...toOpenaiBody(request) })),
  });
  const { stream } = await provider(name).doStream({
    prompt: [],
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
    includeRawChunks: true,
    abortSignal: signal,
  });
  const parts = new OpenaiParts();
  for await (const part of check(stream)) yield* parts.read(part);
}

/** What the SDK has written of a conversation that it has not seen. OpenAI itself has another name for the limit by now. */
function toOwn(body: Readonly<Record<string, unknown>>, baseUrl: string): Record<string, unknown> {
  const { messages: _, max_tokens: maxTokens, ...rest } = body;
  if (maxTokens === undefined) return rest;
  const isTheirs = new URL(baseUrl).hostname === 'api.openai.com';
  return { ...rest, [isTheirs ? 'max_completion_tokens' : 'max_tokens']: maxTokens };
}
