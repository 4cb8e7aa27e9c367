import type { CallDetails, PermissionGuard } from '../../guard/permission-guard.js';
import type { Verdict } from '../../guard/verdict.js';
import type { Clock } from '../../model/clock.js';
import { decidedByText } from '../../model/permissions/decision.js';
import type { PermissionSubject } from '../../model/permissions/subject.js';
import type { ToolResult } from '../../model/tool.js';
import type { Run, Step, ToolCall } from '../pipeline.js';
import { refused } from './refused.js';

export interface PermissionStepOptions {
  readonly guard: PermissionGuard;
  readonly clock: Clock;
  readonly subjectOf: (call: ToolCall) => PermissionSubject;
  /** What the guard has to know of a tool's server and definition. */
  readonly pinOf: (call: ToolCall) => Pick<CallDetails, 'serverHash' | 'definitionHash'>;
}

/** Built-in tools and those of servers alike: what is written decides, or whoever is asked. */
export function permissionStep({ guard, clock, subjectOf, pinOf }: PermissionStepOptions): Step {
  return (call, next) => {
    const { input, context } = call;
    const { serverHash, definitionHash } = pinOf(call);
    const { callId, signal } = context;
    const verdict = guard.check(subjectOf(call), { input, callId, signal, serverHash, definitionHash });
    if (!('then' in verdict)) return end(call, next, { verdict, asked: '' });
    const began = clock.monotonic();
    return verdict.then((later) => {
      call.trace.askedMs = Math.round(clock.monotonic() - began);
      return end(call, next, { verdict: later, asked: later.decision.by.kind === 'person' ? 'ask-' : '' });
    });
  };
}

interface Ended {
  readonly verdict: Verdict;
  /** `ask-` where a person was. */
  readonly asked: string;
}

function end(call: ToolCall, next: Run, { verdict, asked }: Ended): Promise<ToolResult> {
  const { trace } = call;
  trace.rule = decidedByText(verdict.decision.by);
  if (verdict.kind === 'denied') {
    trace.decision = `${asked}deny`;
    return Promise.resolve(refused(verdict.error));
  }
  trace.decision = `${asked}allow`;
  const { note } = verdict;
  return note === undefined ? next(call) : next(call).then((result) => ({ ...result, notes: [...result.notes, note] }));
}
