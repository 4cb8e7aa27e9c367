import { isObject, parseJson } from '../../base/json.js';
import { systemClock } from '../../edge/clock.js';
import type { ProfileName } from '../../model/profiles/profile.js';
import type { ModelEvent, ModelPort, ModelRequest } from '../model-port.js';
import type { AnswerStream } from './answer-stream.js';
import { ContextWindow } from './context-window.js';
import { dialects } from './dialects.js';
import { MODEL_LIMITS, type ModelOptions } from './model-endpoint.js';
import { type AnswerEvent, EventReader } from './event-reader.js';
import { ModelFetch } from './model-fetch.js';
import type { TuningField } from './model-tuning.js';
import { toFallback, withRetries } from './retrying.js';
import { type ModelError, answerError, toLabel } from './model-error.js';

/** What differs between the model APIs. */
export interface ModelApi {
  readonly profile: ProfileName;
  /** The context window, unless the user says otherwise. */
  readonly contextTokens: number;
  /** Appended to the endpoint's `baseUrl`. */
  readonly path: string;
  readonly toBody: (options: ModelOptions, request: ModelRequest) => object;
  /** Names and values alternating. */
  readonly toHeaders: (options: ModelOptions) => readonly string[];
  /** What of the tuning the model does not have. */
  readonly unsupported: (options: ModelOptions) => readonly TuningField[];
  readonly openAnswer: () => AnswerReader;
}

/** Turns the events of one answer, which may be anything, into model events. Contract: throws nothing. */
export interface AnswerReader {
  /** The model events of one event; undefined for one that is not of this API. */
  read(event: unknown): readonly ModelEvent[] | undefined;
  /** Called after the last event: the remaining model events, with `end` when the answer is complete. */
  end(): readonly ModelEvent[];
}

/** A model behind an API that streams its answers. */
export function openModel(options: ModelOptions): ModelPort {
  const { name, endpoint, clock = systemClock, random = Math.random } = options;
  const dialect = dialects[endpoint.api];
  const limits = { ...MODEL_LIMITS, ...options.limits };
  const asked = { endpoint, model: name };
  const http = new ModelFetch({ ...asked, headers: dialect.toHeaders(options), limits, clock });
  const context = new ContextWindow({
    said: options.contextTokens,
    listed: options.listedContextTokens,
    usual: dialect.contextTokens,
    find: () => http.findContextTokens(),
  });

  async function* ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const answering = http.post(dialect.path, dialect.toBody(options, request), signal);
    // Behind the request, which does not wait for it.
    void context.find();
    const answer = await answering;
    let parts = 0;
    let isWhole = false;
    try {
      for await (const said of listen(answer)) {
        for (const event of said) {
          // The whole answer may have come long before it is read.
          signal.throwIfAborted();
          if (event.kind === 'part' && ++parts > limits.parts) {
            throw answerError(`sent an answer of more than ${limits.parts} parts`, asked);
          }
          isWhole = event.kind === 'end';
          yield event;
          if (isWhole) return;
        }
      }
    } finally {
      if (isWhole) answer.leave();
      else answer.fail(new Error('Nobody waits for the rest of the answer'));
    }
  }

  /** The model events in batches, one for each chunk: a promise for each word would cost more than reading it. */
  async function* listen(answer: AnswerStream): AsyncGenerator<Iterable<ModelEvent>> {
    const events = new EventReader({ eventLimit: limits.eventBytes, toOverflow });
    const reader = dialect.openAnswer();
    for await (const bytes of answer) yield receive(events.read(bytes), reader);
    yield finish(reader);
  }

  function* receive(events: readonly AnswerEvent[], reader: AnswerReader): Generator<ModelEvent> {
    for (const event of events) {
      // Some endpoints keep the connection open after the end of the answer.
      if (event.data.trim() === '[DONE]') yield* finish(reader);
      else yield* toSaid(event, reader);
    }
  }

  /** Throws behind the remaining events; the caller stops before that when one of them is `end`. */
  function* finish(reader: AnswerReader): Generator<ModelEvent> {
    yield* reader.end();
    throw answerError('broke off in the middle of its answer', asked, { isTransient: true });
  }

  function toSaid({ name: kind, data }: AnswerEvent, reader: AnswerReader): readonly ModelEvent[] {
    if (data === '') return [];
    const event = parseJson(data);
    const error = toError(kind, event ?? data);
    if (error !== undefined) throw ofError(error);
    const said = event === undefined ? undefined : reader.read(event);
    if (said) return said;
    throw answerError('sent something in its answer that this API does not have', asked, { quoted: data });
  }

  function toOverflow(): ModelError {
    return answerError(`sent an event of more than ${limits.eventBytes} bytes, or of very many lines`, asked);
  }

  /** The error for an error event within the answer. */
  function ofError(error: unknown): ModelError {
    const { type, code } = isObject(error) ? error : {};
    const isTransient = PASSING.has(type) || PASSING.has(code);
    return answerError('failed in the middle of its answer', asked, { isTransient, reported: error });
  }

  return {
    name,
    provider: endpoint.provider,
    profile: dialect.profile,
    get contextTokens() {
      return context.tokens;
    },
    findContextTokens: () => context.find(),
    providerTools: options.providerTools,
    unsupported: [
      ...dialect.unsupported(options),
      ...(options.tuning?.fallbackModel !== undefined && !options.fallback ? (['fallbackModel'] as const) : []),
    ],
    tuned: (tuning) => openModel({ ...options, tuning, listedContextTokens: context.listed }),
    stream: (request, signal) =>
      withRetries(() => ask(request, signal), {
        clock,
        random,
        signal,
        label: toLabel(endpoint),
        fallback: options.fallback && toFallback(options.fallback, request, signal),
      }),
  };
}

/** The APIs' names for transient errors. */
const PASSING: ReadonlySet<unknown> = new Set([
  'overloaded_error',
  'rate_limit_error',
  'api_error',
  'timeout_error',
  'server_error',
  'rate_limit_exceeded',
  ...[429, 500, 502, 503, 529].flatMap((status) => [status, `${status}`]),
]);

/** An event's error; undefined: none. Anthropic's API and others name the event `error`, OpenAI's has a field. */
function toError(name: string, event: unknown): unknown {
  const { error, type }: { readonly [field: string]: unknown } = isObject(event) ? event : {};
  return error ?? (name === 'error' || type === 'error' ? event : undefined);
}
