import type { AskPermission, PermissionQuestion } from '../../index.js';
import { HostError } from '../../base/errors.js';
import type { DelegatedDecision } from './delegated-decision.js';

export interface PermissionDelegateOptions {
  /** Contract: never rejects. */
  readonly decide: (question: PermissionQuestion, signal: AbortSignal) => Promise<DelegatedDecision>;
  /** Ends the turn, when a denial asks for that. */
  readonly stop: (reason: HostError) => void;
}

/** Has a program decide where the user would be asked. The program may change the input. */
export function delegatedAsk({ decide, stop }: PermissionDelegateOptions): AskPermission {
  return async (question, signal) => {
    const decision = await decide(question, signal);
    if (decision.kind === 'allow') return { kind: 'allow', remember: 'once', input: decision.input };
    if (decision.stops === true) {
      stop(new HostError('denied', `Stopped before the call of ${question.name}: ${decision.reason}`));
    }
    return { kind: 'deny', reason: decision.reason, isWhole: true };
  };
}
