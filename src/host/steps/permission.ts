import { HostError } from '../../base/errors.js';
import type { CallDetails, PermissionGuard } from '../../guard/permission-guard.js';
import type { Verdict } from '../../guard/verdict.js';
import type { Clock } from '../../model/clock.js';
import { type DecidedBy, decidedByText } from '../../model/permissions/decision.js';
import type { PermissionSubject } from '../../model/permissions/subject.js';
import type { ToolResult } from '../../model/tool.js';
import { deny, type Run, type Step, type ToolCall } from '../pipeline.js';
import { refused } from '../../model/failed-result.js';

export interface PermissionStepOptions {
  readonly guard: PermissionGuard;
  readonly clock: Clock;
  readonly subjectOf: (call: ToolCall) => PermissionSubject;
  /** What the guard has to know of a tool's server and definition. */
  readonly pinOf: (call: ToolCall) => Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash'>;
}

/** Built-in tools and those of servers alike: what is written decides, or whoever is asked. */
export function permissionStep({ guard, clock, subjectOf, pinOf }: PermissionStepOptions): Step {
  // Put into words once: a decision that is remembered comes again with every call.
  const texts = new WeakMap<DecidedBy, string>();
  const toRule = (by: DecidedBy): string => {
    const text = texts.get(by) ?? decidedByText(by);
    texts.set(by, text);
    return text;
  };
  return (call, next) => {
    const { input, context, trace } = call;
    const pin = pinOf(call);
    const { callId, signal } = context;
    const verdict = guard.check(subjectOf(call), { input, callId, signal, ...pin });
    if (!('then' in verdict)) {
      trace.rule = toRule(verdict.decision.by);
      return end(call, next, { verdict, asked: '' });
    }
    const began = clock.monotonic();
    return verdict.then((later) => {
      trace.askedMs = Math.round(clock.monotonic() - began);
      trace.rule = toRule(later.decision.by);
      if (later.kind === 'allowed' && pinOf(call).serverHash !== pin.serverHash) return exchanged(call);
      return end(call, next, { verdict: later, asked: later.decision.by.kind === 'person' ? 'ask-' : '' });
    });
  };
}

/** Who said yes meant another server. */
function exchanged(call: ToolCall): ToolResult {
  const message = `${call.tool.name} is not called: the entry of its server changed meanwhile`;
  const hint = 'Call it again, if it is still what you want';
  return deny(call, 'definition', new HostError('definition-changed', message, { hint }));
}

interface Ended {
  readonly verdict: Verdict;
  /** `ask-` where a person was. */
  readonly asked: string;
}

function end(call: ToolCall, next: Run, { verdict, asked }: Ended): Promise<ToolResult> {
  const { trace } = call;
  if (verdict.kind === 'denied') {
    trace.decision = `${asked}deny`;
    return Promise.resolve(refused(verdict.error));
  }
  trace.decision = `${asked}allow`;
  const { note } = verdict;
  return note === undefined ? next(call) : next(call).then((result) => ({ ...result, notes: [...result.notes, note] }));
}
