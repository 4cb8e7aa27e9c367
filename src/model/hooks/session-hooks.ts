import type { HookEvent } from './hook-settings.js';

/** The session that a host works for, as hooks are told about it. */
export interface HookSession {
  /** A UUID: `session_id`. */
  readonly id: string;
  /** The file that holds the conversation: `transcript_path`. */
  readonly transcriptPath?: string | undefined;
  /** The prompt that is being worked on: `prompt_id`. */
  readonly promptId?: string | undefined;
}

/** Why a session starts. */
export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork';

/** Why a session ends. */
export type SessionEndReason = 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';

/** Who wanted older messages summarised: a person, or the size of the conversation. */
export type CompactTrigger = 'manual' | 'auto';

/** The hooks of a session. No method rejects; a hook that fails is told as a problem of the host. */
export interface SessionHooks {
  /** Whether there is a hook for this event. */
  has(event: HookEvent): boolean;
  /**
   * Before a prompt goes to the model. `context`: texts for the model beside the prompt, cleaned and bounded. A hook
   * that fails blocks the prompt, unless it says otherwise.
   */
  promptSubmitted(prompt: string, signal?: AbortSignal): Promise<PromptVerdict>;
  /** When a session begins. `context`: texts for the model, cleaned and bounded. */
  started(source: SessionStartSource, model: string): Promise<{ readonly context: readonly string[] }>;
  /** When a session ends. */
  ended(reason: SessionEndReason): Promise<void>;
  /** When the model has nothing more to do. `go-on`: the reason goes to the model as the next message. */
  stopping(facts: StopFacts, signal?: AbortSignal): Promise<StopVerdict>;
  /** Before older messages are summarised. `instructions`: what a person wants kept; may be empty. */
  compacting(trigger: CompactTrigger, instructions: string): Promise<CompactVerdict>;
  /** After older messages were summarised. */
  compacted(trigger: CompactTrigger, summary: string): Promise<void>;
}

/** What hooks say to a prompt. */
export type PromptVerdict =
  | { readonly kind: 'go'; readonly context: readonly string[] }
  | { readonly kind: 'block'; readonly reason: string };

/** What a hook is told when the model has nothing more to do. */
export interface StopFacts {
  /** Whether a hook has already made this turn go on: a hook that always does would never let it end. */
  readonly isActive: boolean;
  /** The text of the model's last message. */
  readonly lastMessage: string;
}

/** What hooks say to the end of a turn. */
export type StopVerdict = { readonly kind: 'end' } | { readonly kind: 'go-on'; readonly reason: string };

/** What hooks say to a summary that is about to be made. */
export type CompactVerdict = { readonly kind: 'go' } | { readonly kind: 'block'; readonly reason: string };
