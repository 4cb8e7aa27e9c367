import type { HookEvent } from '../model/hooks/hook-settings.js';

/** A function of the embedder that gets the JSON that a command gets, and answers with the JSON that one prints. */
export interface HookCallback {
  /** When the callback is asked. */
  readonly event: HookEvent;
  /** Same syntax as in settings; without a matcher the callback is asked about everything. */
  readonly matcher?: string | undefined;
  /** Names the callback in messages. */
  readonly label: string;
  /** Default: 60 s. */
  readonly timeoutMs?: number | undefined;
  /** `continue`: a callback that fails is told, and ignored otherwise. Default: `block`. */
  readonly onFailure?: 'continue' | 'block' | undefined;
  /** Contract: resolves with an object, `{}` for no opinion. Anything else, or an error, is a failure. */
  ask(input: object, about: HookCallbackContext): Promise<unknown>;
}

/** What a callback is told beside the JSON. */
export interface HookCallbackContext {
  /** The call that the event belongs to. */
  readonly toolUseId?: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}
