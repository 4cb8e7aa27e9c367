import { randomUUID } from 'node:crypto';
import type { HookRun } from '../model/hooks/hook-run.js';
import { gateText } from '../model/text/text-gate.js';
import { describeFailure } from './hook-result.js';
import { type EventFormat, type Hook, HookCancelled, type HookRunOutput } from './hook.js';

/** Told of every run of a hook, while it wants to be. */
export interface HookWatch {
  isWatched(): boolean;
  /** Contract: must not throw. */
  tell(run: HookRun): void;
}

/** The same hook, whose runs are told. */
export function watchedHook<Question, Answer>(
  hook: Hook<Question, Answer>,
  format: EventFormat<Question, Answer>,
  watch: HookWatch | undefined,
): Hook<Question, Answer> {
  if (!watch) return hook;
  const run = async (question: Question, signal: AbortSignal | undefined): Promise<Answer | undefined> => {
    const { event } = format;
    const subject = format.subjectOf(question);
    const name = subject === undefined ? event : `${event}:${subject}`;
    const common = { id: randomUUID(), name, event, hook: hook.label };
    let output: HookRunOutput = {};
    const end = (outcome: NonNullable<HookRun['outcome']>, why?: string): void => {
      const { exitCode, ...texts } = output;
      const shown = { ...texts, output: why ?? texts.output ?? texts.stdout ?? '' };
      const cleaned = Object.entries(shown).map(([key, text]) => [key, gateText(text, { limit: TEXT_LENGTH }).text]);
      watch.tell({
        phase: 'ended',
        ...common,
        outcome,
        ...(Object.fromEntries(cleaned) as HookRunOutput),
        ...(exitCode !== undefined && { exitCode }),
      });
    };
    watch.tell({ phase: 'started', ...common });
    try {
      const answer = await hook.ask(question, signal, (one) => void (output = one));
      end('success');
      return answer;
    } catch (error) {
      end(error instanceof HookCancelled ? 'cancelled' : 'error', describeFailure(error));
      throw error;
    }
  };
  return {
    ...hook,
    ask: (question, signal) => (watch.isWatched() ? run(question, signal) : hook.ask(question, signal)),
  };
}

const TEXT_LENGTH = 20_000; // characters; for a log, not for a decision
