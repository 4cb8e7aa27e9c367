import type { ProfileName } from '../model/profiles/profile.js';
import type { AssistantPart, Message } from './message.js';

/** A model that can be talked to, whoever runs it. */
export interface ModelPort {
  /** As its API knows it. */
  readonly name: string;
  /** Who is asked, for people: `Anthropic`, or the host of a URL. */
  readonly provider: string;
  /** How tools, results and instructions are written for it. */
  readonly profile: ProfileName;
  /** How much it takes in all. */
  readonly contextTokens: number;
  /** Tools that its provider runs itself, such as a search of the web: they stand before all others, in every conversation. */
  readonly providerTools?: readonly object[] | undefined;
  /**
   * One answer, as it comes; the last event is `end`. Contract: throws a HostError, `model-failed` or `cancelled`; what can be mended by asking again
   * is asked again before anything was said, and told as `retry`. The same request gives the same bytes.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** In the order in which a prompt cache reads it: tools, system, messages. */
export interface ModelRequest {
  /** `ModelTurn.tools`: only its end ever grows. */
  readonly tools: readonly object[];
  /** What never changes first, then what hangs on the servers of this conversation. None of them is empty. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  /** No answer may have more. */
  readonly maxTokens?: number;
  /** As a server asks for it (sampling); a session leaves these to the model. */
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly toolChoice?: 'auto' | 'required' | 'none';
}

export type ModelEvent =
  /** Words of the part that comes next. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A call has begun to be written. */
  | { readonly kind: 'writing-call'; readonly id: string; readonly name: string }
  /** A part is complete; in their order they are the message. */
  | { readonly kind: 'part'; readonly part: AssistantPart }
  | { readonly kind: 'retry'; readonly attempt: number; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'end'; readonly reason: StopReason; readonly usage: Usage };

/**
 * `calls`: it waits for results. `paused`: it goes on when it is asked again as it is. `length`: it had more to say. `refused`: its provider
 * did not let it answer.
 */
export type StopReason = 'done' | 'calls' | 'paused' | 'length' | 'refused' | 'other';

/** Tokens; what an API does not tell is 0. */
export interface Usage {
  /** All that was read, what came from the cache included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
