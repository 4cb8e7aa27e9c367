import { type AnswerFields, readImmediateAnswer, readHookAnswer, textIn } from './answer-fields.js';
import { blockReason } from './hook-answer.js';
import type { HookEvent } from './hook-settings.js';

export type SessionHookEvent = Extract<
  HookEvent,
  'UserPromptSubmit' | 'SessionStart' | 'SessionEnd' | 'Stop' | 'PreCompact' | 'PostCompact'
>;

/** What a hook answers to an event of a session. */
export interface SessionHookAnswer {
  /** Why the prompt or the summary must not be; at the end of a turn, why the turn has to go on. */
  readonly block?: string | undefined;
  /** The hook wants everything to end: `continue: false`. */
  readonly isStopping?: boolean | undefined;
  /** A text for the model. */
  readonly context?: string | undefined;
}

/** Throws `BadAnswer`. */
export function readSessionAnswer(event: SessionHookEvent, said: AnswerFields): SessionHookAnswer {
  const answer = event === 'UserPromptSubmit' ? readImmediateAnswer(event, said) : readHookAnswer(event, said);
  const { own, stop } = answer;
  return { block: blockReason(answer), isStopping: stop !== undefined, context: textIn(own, 'additionalContext') };
}
