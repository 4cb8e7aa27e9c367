import type { SessionHookAnswer, SessionHookEvent } from '../model/hooks/session-answer.js';
import type { SessionHooks } from '../model/hooks/session-hooks.js';
import { gateText } from '../model/text/text-gate.js';
import { HookCancelled } from './hook.js';
import type { SessionQuestion } from './hook-events.js';
import { CONTEXT_LENGTH, REASON_LENGTH } from './hook-result.js';
import type { Hooks } from './hooks.js';

/** The hooks of a session, as the current configuration has them. */
export function toSessionHooks(current: () => Hooks | undefined): SessionHooks {
  const ask = (event: SessionHookEvent, question: SessionQuestion, signal?: AbortSignal): Promise<Heard> =>
    askAll(current(), { event, question, signal });
  return {
    has: (event) => current()?.has(event) === true,
    async promptSubmitted(prompt, signal) {
      const { block, failure, context } = await ask(
        'UserPromptSubmit',
        { about: undefined, fields: { prompt } },
        signal,
      );
      const reason = block ?? failure;
      return reason === undefined ? { kind: 'go', context } : { kind: 'block', reason };
    },
    async started(source, model) {
      const { context } = await ask('SessionStart', { about: source, fields: { source, model } });
      return { context };
    },
    async ended(reason) {
      await ask('SessionEnd', { about: reason, fields: { reason } });
    },
    async stopping({ isActive, lastMessage }, signal) {
      const fields = { stop_hook_active: isActive, last_assistant_message: lastMessage };
      const { block, isStopping } = await ask('Stop', { about: undefined, fields }, signal);
      return block === undefined || isStopping ? { kind: 'end' } : { kind: 'go-on', reason: block };
    },
    async compacting(trigger, instructions) {
      const fields = { trigger, custom_instructions: instructions === '' ? null : instructions };
      const { block } = await ask('PreCompact', { about: trigger, fields });
      return block === undefined ? { kind: 'go' } : { kind: 'block', reason: block };
    },
    async compacted(trigger, summary) {
      await ask('PostCompact', { about: trigger, fields: { trigger, compact_summary: summary } });
    },
  };
}

/** What the hooks of one event have said together. */
interface Heard {
  /** The first no, with its reason. */
  readonly block?: string;
  readonly isStopping?: boolean;
  /** What became of the first hook that failed and is not to be ignored. */
  readonly failure?: string;
  readonly context: readonly string[];
}

/** Asks one hook after the other, until one says no. Never rejects. */
async function askAll(
  hooks: Hooks | undefined,
  {
    event,
    question,
    signal,
  }: { readonly event: SessionHookEvent; readonly question: SessionQuestion; readonly signal: AbortSignal | undefined },
): Promise<Heard> {
  const context: string[] = [];
  for (const hook of hooks?.forSession(event, question) ?? []) {
    let answer: SessionHookAnswer | undefined;
    try {
      answer = await hook.ask(question, signal);
    } catch (error) {
      if (error instanceof HookCancelled) return { failure: error.message, context };
      const message = hooks!.failed(event, hook, error);
      if (hook.failOpen || event !== 'UserPromptSubmit') continue;
      return { failure: `A ${event} hook ${message}`, context };
    }
    const { block, isStopping = false, context: text } = answer ?? {};
    if (text !== undefined && text.trim() !== '') context.push(gateText(text, { limit: CONTEXT_LENGTH }).text);
    if (block !== undefined) return { block: gateText(block, { limit: REASON_LENGTH }).text, isStopping, context };
  }
  return { context };
}
