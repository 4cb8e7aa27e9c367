import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { isObject } from '../../base/json.js';
import { systemClock } from '../../edge/clock.js';
import type { ProfileName } from '../../model/profiles/profile.js';
import type { ModelEvent, ModelPort, ModelRequest } from '../model-port.js';
import { MODEL_LIMITS, type ModelOptions } from './endpoint.js';
import { ModelFetch } from './model-fetch.js';
import { withRetries } from './retrying.js';
import { findSetback, type ModelSetback, ofAnswer, readMessage, toLabel } from './setback.js';

/** How one API is talked to. */
export interface Dialect {
  readonly profile: ProfileName;
  /** How much its models take, where nobody says otherwise. */
  readonly contextTokens: number;
  /** One request and its answer. Contract: throws only what `check`, `post` and the SDK throw. */
  readonly talk: (talk: Talk) => AsyncIterable<ModelEvent>;
}

export interface Talk {
  readonly options: ModelOptions;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** The SDK's fetch: sends what `complete` makes of the body that the SDK has written. */
  readonly post: (
    init: RequestInit | undefined,
    complete: (body: Record<string, unknown>) => object,
  ) => Promise<Response>;
  /** The parts of a stream, bounded, and what went wrong in its middle as a ModelSetback. */
  readonly check: (stream: ReadableStream<LanguageModelV3StreamPart>) => AsyncIterable<LanguageModelV3StreamPart>;
}

/** A model behind a provider of the AI SDK, which is loaded with the first request. */
export function openModel(options: ModelOptions, dialect: Dialect): ModelPort {
  const { name, endpoint, clock = systemClock, random = Math.random } = options;
  const limits = { ...MODEL_LIMITS, ...options.limits };
  const asked = { endpoint, model: name };
  const http = new ModelFetch({ ...asked, limits, clock });

  async function* ask(request: ModelRequest, outer: AbortSignal): AsyncGenerator<ModelEvent> {
    const ending = new AbortController();
    const signal = AbortSignal.any([outer, ending.signal]);
    const path = dialect.profile === 'anthropic' ? '/messages' : '/chat/completions';
    const post: Talk['post'] = (init, complete) => {
      const written = typeof init?.body === 'string' ? init.body : '{}';
      const body = JSON.stringify(complete(JSON.parse(written) as Record<string, unknown>));
      return http.post(`${endpoint.baseUrl}${path}`, { headers: init?.headers, body, signal });
    };
    let parts = 0;
    let isWhole = false;
    try {
      for await (const event of dialect.talk({
        options,
        request,
        signal,
        post,
        check: (stream) => checked(stream, signal),
      })) {
        if (event.kind === 'part' && ++parts > limits.parts) {
          throw ofAnswer(`sent an answer of more than ${limits.parts} parts`, asked);
        }
        isWhole = event.kind === 'end';
        yield event;
        if (isWhole) return;
      }
      throw ofAnswer(BROKE_OFF, asked, { isTransient: true });
    } catch (error) {
      throw toSetback(error);
    } finally {
      if (!isWhole) ending.abort();
    }
  }

  /** The SDK's own errors, named once. */
  function toSetback(error: unknown): unknown {
    const found = findSetback(error);
    if (found || !isObject(error)) return found ?? error;
    const { name: kind, responseBody } = error;
    // Of an answer that begins with an error the SDK makes one with a status; the status is its guess.
    if (kind === 'AI_APICallError' && typeof responseBody === 'string') return ofEvent(parse(responseBody));
    return String(kind).startsWith('AI_') ? ofEvent(error) : error;
  }

  /** An error that comes as an event of the answer. */
  function ofEvent(error: unknown): ModelSetback {
    const { type, code, name: kind } = isObject(error) ? error : {};
    if (kind === 'AI_TypeValidationError' || kind === 'AI_JSONParseError') {
      return ofAnswer('sent something in its answer that this API does not have', asked, { cause: error });
    }
    if (String(kind).startsWith('AI_')) return ofAnswer(BROKE_OFF, asked, { isTransient: true, cause: error });
    const said = readMessage(JSON.stringify({ error }));
    const isTransient = PASSING.has(String(type)) || PASSING.has(String(code));
    return ofAnswer('failed in the middle of its answer', asked, { isTransient, ...(said !== undefined && { said }) });
  }

  async function* checked(
    stream: ReadableStream<LanguageModelV3StreamPart>,
    signal: AbortSignal,
  ): AsyncGenerator<LanguageModelV3StreamPart> {
    const reader = stream.getReader();
    const leave = (): void => void reader.cancel().catch(() => {}); // what it failed with has been told, or nobody cares
    // Whatever stands between us and the connection, nobody waits once the user has said so: what is being read ends.
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (value.type === 'error' && !isUnknownBlock(value.error, dialect.profile)) throw ofEvent(value.error);
        yield value;
      }
    } finally {
      leave();
    }
  }

  return {
    name,
    provider: endpoint.provider,
    profile: dialect.profile,
    contextTokens: options.contextTokens ?? dialect.contextTokens,
    providerTools: options.providerTools,
    stream: (request, signal) =>
      withRetries(() => ask(request, signal), { clock, random, signal, label: toLabel(endpoint) }),
  };
}

const BROKE_OFF = 'broke off in the middle of its answer';
/** What the APIs call errors that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  'overloaded_error',
  'rate_limit_error',
  'api_error',
  'timeout_error',
  'server_error',
  'rate_limit_exceeded',
  '429',
  '500',
  '502',
  '503',
  '529',
]);

/** A block of a kind that is newer than the SDK: its own events have been read without it. */
function isUnknownBlock(error: unknown, profile: ProfileName): boolean {
  return profile === 'anthropic' && isObject(error) && error['name'] === 'AI_TypeValidationError';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
