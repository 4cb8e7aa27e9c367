import type { HostError } from '../../src/base/errors.js';
import { Secret } from '../../src/base/secret.js';
import type { AssistantPart, Message } from '../../src/session/message.js';
import type { ModelEvent, ModelPort, ModelRequest } from '../../src/session/model-port.js';
import type { ModelEndpoint, ModelOptions } from '../../src/session/models/model-endpoint.js';
import { openModel } from '../../src/session/models/open-model.js';

export const KEY = 'sk-scene-7c1f0a9b';

export function anthropicAt(url: string, options: Partial<ModelOptions> = {}): ModelPort {
  return openModel({ name: 'claude-sonnet-5-5', endpoint: toEndpoint('anthropic', url), ...options });
}

export function openaiAt(url: string, options: Partial<ModelOptions> = {}): ModelPort {
  return openModel({ name: 'qwen', endpoint: toEndpoint('openai', url), ...options });
}

export function toEndpoint(api: ModelEndpoint['api'], url: string, env: ModelEndpoint['env'] = {}): ModelEndpoint {
  const variable = api === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
  const key = { secret: new Secret(KEY), variable, sentAs: api === 'anthropic' ? 'x-api-key' : 'bearer' } as const;
  return { api, baseUrl: `${url}/v1`, provider: new URL(url).host, key, env, cwd: '/' };
}

export function toRequest(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { tools: [], system: [], messages, ...more };
}

export function user(text: string): Message {
  return { role: 'user', parts: [{ kind: 'text', text }] };
}

export const HELLO = toRequest([user('Hello')]);

export interface Received {
  readonly events: readonly ModelEvent[];
  readonly parts: readonly AssistantPart[];
  readonly end: Extract<ModelEvent, { kind: 'end' }> | undefined;
  readonly error: HostError | undefined;
}

/** Reads one response, to its end or its error. */
export async function receive(
  model: ModelPort,
  request: ModelRequest = HELLO,
  {
    signal = new AbortController().signal,
    onEvent,
  }: { signal?: AbortSignal; onEvent?: (event: ModelEvent) => void } = {},
): Promise<Received> {
  const events: ModelEvent[] = [];
  let error: HostError | undefined;
  try {
    for await (const event of model.stream(request, signal)) {
      events.push(event);
      onEvent?.(event);
    }
  } catch (thrown) {
    error = thrown as HostError;
  }
  return {
    events,
    parts: events.flatMap((event) => (event.kind === 'part' ? [event.part] : [])),
    end: events.find((event) => event.kind === 'end'),
    error,
  };
}

export function wordsOf({ events }: Received, kind: 'text' | 'reasoning' = 'text'): string {
  return events.map((event) => (event.kind === kind ? event.text : '')).join('');
}
