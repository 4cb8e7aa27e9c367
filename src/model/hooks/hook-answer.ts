import {
  type AnswerFields,
  BadAnswer,
  choiceIn,
  flagIn,
  type HookAnswer,
  NO_REASON,
  refuseOthers,
  readImmediateAnswer,
  readHookAnswer,
  objectIn,
  textIn,
} from './answer-fields.js';
import type { ElicitationReply, HookOutput, PermissionHookAnswer, PostAnswer, PreAnswer } from './hook-call.js';
import type { HookEvent } from './hook-settings.js';
import { readOutput } from './read-output.js';
import { isSameJson } from '../text/same-json.js';

// Reads what a hook answers, strictly: a field with a wrong value fails the hook instead of being ignored, because the
// answer decides about a call.

/** Throws `BadAnswer`. */
export function readPreAnswer(said: AnswerFields): PreAnswer {
  const { own, stop, decision: older, reason } = readImmediateAnswer('PreToolUse', said);
  if (stop !== undefined) return { decision: 'deny', reason: stop };
  const decision = choiceIn(own, 'permissionDecision', ['allow', 'deny', 'ask', 'defer']);
  // Other hosts end the run here and go on with the call in a later one.
  if (decision === 'defer') return { decision: 'deny', reason: 'it puts the call off, and Plugboard cannot' };
  return {
    decision: decision ?? (older && (older === 'block' ? 'deny' : 'allow')),
    reason: textIn(own, 'permissionDecisionReason') ?? reason,
    input: objectIn(own, 'updatedInput'),
    context: textIn(own, 'additionalContext'),
  };
}

/** Returns undefined when the user has to be asked. Throws `BadAnswer`. */
export function readPermissionHookAnswer(said: AnswerFields): PermissionHookAnswer | undefined {
  const { own, stop, decision: older, reason } = readImmediateAnswer('PermissionRequest', said);
  const decision = objectIn(own, 'decision');
  const behavior = decision && choiceIn(decision, 'behavior', ['allow', 'deny']);
  if (decision && behavior === undefined) throw new BadAnswer('decides without a behavior');
  if (decision) refuseOthers(decision, behavior === 'allow' ? ALLOW_FIELDS : DENY_FIELDS, 'decision');
  const input = decision && objectIn(decision, 'updatedInput');
  const isInterrupting = decision && flagIn(decision, 'interrupt');
  if (stop !== undefined) return { decision: 'deny', reason: stop };
  if (older === 'block') return { decision: 'deny', reason: reason ?? NO_REASON };
  if (!decision) return undefined;
  if (behavior === 'allow') return { decision: 'allow', input };
  return { decision: 'deny', reason: textIn(decision, 'message') ?? reason ?? NO_REASON, isInterrupting };
}

const ALLOW_FIELDS: readonly string[] = ['behavior', 'updatedInput', 'updatedPermissions'];
const DENY_FIELDS: readonly string[] = ['behavior', 'message', 'interrupt'];

/** Throws `BadAnswer`. */
export function readPostAnswer(event: 'PostToolUse' | 'PostToolUseFailure', said: AnswerFields): PostAnswer {
  const answer = readHookAnswer(event, said);
  return { block: blockReason(answer), output: newOutput(answer), context: textIn(answer.own, 'additionalContext') };
}

/** The reason of an answer that says no. */
export function blockReason({ stop, decision, reason }: HookAnswer): string | undefined {
  return stop ?? (decision === 'block' ? (reason ?? NO_REASON) : undefined);
}

/** Other hosts have one field for results of servers, and a later one for all results. */
function newOutput({ own }: HookAnswer): HookOutput | undefined {
  const { updatedMCPToolOutput: ofServer, updatedToolOutput: ofAny } = own;
  if (ofServer !== undefined && ofAny !== undefined && !isSameJson(ofServer, ofAny))
    throw new BadAnswer('says one output for updatedMCPToolOutput and another one for updatedToolOutput');
  if (ofServer !== undefined) return readOutput(ofServer, 'updatedMCPToolOutput');
  return ofAny === undefined ? undefined : readOutput(ofAny, 'updatedToolOutput');
}

/** Returns undefined when the hook has no answer. Throws `BadAnswer`. */
export function readReply(
  event: Extract<HookEvent, 'Elicitation' | 'ElicitationResult'>,
  said: AnswerFields,
): ElicitationReply | undefined {
  const answer = readHookAnswer(event, said);
  const from = answer.own['action'] === undefined ? answer.top : answer.own;
  const action = choiceIn(from, 'action', ['accept', 'decline', 'cancel']);
  const content = objectIn(from, 'content');
  if (blockReason(answer) !== undefined) return { action: 'decline' };
  if (action === undefined) {
    if (content !== undefined || answer.own['content'] !== undefined)
      throw new BadAnswer('answers with content, and without an action');
    return undefined;
  }
  return action === 'accept' ? { action, content } : { action };
}
