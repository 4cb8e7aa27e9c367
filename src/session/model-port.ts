import type { ProfileName } from '../model/profiles/profile.js';
import type { AssistantPart, Message } from './message.js';
import type { ModelTuning, TuningField } from './models/model-tuning.js';

/** A model that conversations can use. */
export interface ModelPort {
  /** The model's name at its API. */
  readonly name: string;
  /** The provider, for messages: `Anthropic`, or the host of a URL. */
  readonly provider: string;
  /** How tools, results and instructions are written for the model. */
  readonly profile: ProfileName;
  /** The context window. It may become another number while the provider is asked for it: read it each time. */
  readonly contextTokens: number;
  /**
   * Asks the provider for the context window, unless that is known, and resolves with it. Contract: never rejects; a few
   * seconds at most. `stream` asks as well, without waiting.
   */
  readonly findContextTokens?: (() => Promise<number>) | undefined;
  /** Tools that the provider runs itself, such as web search: they come before all others, in every conversation. */
  readonly providerTools?: readonly object[] | undefined;
  /** What of its tuning the model does not have, or only in another way; none by default. */
  readonly unsupported?: readonly TuningField[];
  /** The same model, tuned otherwise. A conversation that uses it goes on as it was. */
  readonly tuned?: ((tuning: ModelTuning) => ModelPort) | undefined;
  /**
   * Streams one answer; the last event is `end`. Contract: throws a HostError, `model-failed` or `cancelled`. What a
   * retry may fix is retried before any text has come, and reported as `retry`. The same request gives the same bytes.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** In the order in which a prompt cache reads it: tools, system, messages. */
export interface ModelRequest {
  /** `ModelTurn.tools`: grows only at its end. */
  readonly tools: readonly object[];
  /** First what never changes, then what depends on the servers of this conversation. None of them is empty. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  /** The most tokens that the answer may have. */
  readonly maxTokens?: number;
  /** Set by a server's sampling request; a session leaves these to the model. */
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly toolChoice?: 'auto' | 'required' | 'none';
}

/** What a model sends while it answers. */
export type ModelEvent =
  /** A piece of the next part's text. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** The model has begun to write a call. */
  | { readonly kind: 'writing-call'; readonly id: string; readonly name: string }
  /** A complete part; in order, the parts are the message. */
  | { readonly kind: 'part'; readonly part: AssistantPart }
  | { readonly kind: 'retry'; readonly attempt: number; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'end'; readonly reason: StopReason; readonly usage: Usage };

/**
 * `calls`: the model waits for results. `paused`: it goes on when the conversation is sent again unchanged. `length`:
 * it had more to say. `refused`: its provider did not let it answer.
 */
export type StopReason = 'done' | 'calls' | 'paused' | 'length' | 'refused' | 'other';

/** Tokens; 0 for what an API does not report. */
export interface Usage {
  /** All tokens that were read, those from the cache included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** No token used. */
export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
