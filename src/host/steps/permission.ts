import { HostError } from '../../base/errors.js';
import type { CallDetails, PermissionGuard } from '../../guard/permission-guard.js';
import type { PermissionOutcome } from '../../guard/permission-outcome.js';
import type { Clock } from '../../model/clock.js';
import { type DecidedBy, decidedByText } from '../../model/permissions/decision.js';
import type { PermissionSubject } from '../../model/permissions/subject.js';
import { isSameJson } from '../../model/text/same-json.js';
import type { Tool, ToolResult } from '../../model/tool.js';
import type { CallFlows } from '../calls/call-flows.js';
import type { PermissionHooks } from '../calls/permission-hooks.js';
import { deny, type NextStep, type CallStep, type ToolCall } from '../calls/pipeline.js';
import { refusedResult } from '../../model/failed-result.js';

export interface PermissionStepOptions {
  readonly guard: PermissionGuard;
  readonly clock: Clock;
  readonly subjectOf: (call: ToolCall) => PermissionSubject;
  /** Hooks that answer where a person would be asked. */
  readonly hooks?: PermissionHooks;
  /** Whether a call may send out what was read. */
  readonly flows?: CallFlows;
  /** The hash of the config of a tool's server; undefined for a tool that has none. */
  readonly serverHashOf: (tool: Tool) => string | undefined;
  /** What the guard needs to know of a tool's server and definition. */
  readonly guardDetailsOf: (
    call: ToolCall,
  ) => Pick<CallDetails, 'serverHash' | 'entryHash' | 'definitionHash' | 'statedHints'>;
}

/** Decides about calls of all tools, built-in ones included: by rules, mode and hints, or by asking the user. */
export function permissionStep(options: PermissionStepOptions): CallStep {
  const { guard, clock, subjectOf, hooks, flows, serverHashOf, guardDetailsOf } = options;
  // Formatted once: a cached decision comes again with every call.
  const texts = new WeakMap<DecidedBy, string>();
  const toRule = (by: DecidedBy): string => {
    const text = texts.get(by) ?? decidedByText(by);
    texts.set(by, text);
    return text;
  };
  const check = (call: ToolCall, subject: PermissionSubject, next: NextStep): Promise<ToolResult> => {
    const { input, context, trace, ask } = call;
    const pin = guardDetailsOf(call);
    const { callId, signal } = context;
    const verdict = guard.check(subject, { input, callId, signal, ask, flow: flows?.of(call), ...pin });
    if (!('then' in verdict)) {
      trace.rule = toRule(verdict.decision.by);
      const refusal = settle(call, verdict, '');
      return refusal ? Promise.resolve(refusal) : withNote(next(call), verdict);
    }
    const began = clock.monotonic();
    return verdict.then((later) => {
      trace.askedMs = Math.round(clock.monotonic() - began);
      trace.rule = toRule(later.decision.by);
      if (later.kind === 'allowed' && guardDetailsOf(call).serverHash !== pin.serverHash) return exchanged(call);
      const changed = withInput(call, later);
      flows?.lookOnce(changed);
      if (changed !== call && guard.explain(subjectOf(changed)).behavior === 'deny') return barred(changed);
      return proceed(changed, next, later);
    });
  };
  return (next) => {
    const decide: NextStep = (call) => {
      flows?.lookOnce(call);
      const asking = hooks?.(call);
      if (asking) return asking.then((left) => ('outcome' in left ? left : decide(left)));
      const subject = subjectOf(call);
      // Most calls are of a tool that was allowed before: they need none of the details.
      const known = guard.allowedBefore(subject, serverHashOf(call.tool));
      if (!known) return check(call, subject, next);
      call.trace.rule = toRule(known.by);
      return next(call);
    };
    return decide;
  };
}

/** The user allowed another server: the entry changed meanwhile. */
function exchanged(call: ToolCall): ToolResult {
  const message = `${call.tool.name} is not called: the entry of its server changed meanwhile`;
  const hint = 'Call it again, if it is still what you want';
  return deny(call, 'definition', new HostError('definition-changed', message, { hint }));
}

/** The answer to a question changed the input into one that a rule denies. */
function barred(call: ToolCall): ToolResult {
  const message = `${call.tool.name} is not called: the answer changed its input to one that a rule denies`;
  return deny(call, 'rule', new HostError('denied', message, { hint: 'Look at the rules with /permissions' }));
}

/** Continues after the user was asked, or the tool's definition was fetched. */
function proceed(call: ToolCall, next: NextStep, verdict: PermissionOutcome): ToolResult | Promise<ToolResult> {
  const refusal = settle(call, verdict, verdict.decision.by.kind === 'person' ? 'ask-' : '');
  return refusal ?? withNote(next(call), verdict);
}

/** The call with the input that the user wants sent instead. */
function withInput(call: ToolCall, verdict: PermissionOutcome): ToolCall {
  const input = verdict.kind === 'allowed' ? verdict.input : undefined;
  if (input === undefined || isSameJson(input, call.input)) return call;
  call.trace.input = input;
  return { ...call, input };
}

/** Records the decision; returns the result of a denied call. `asked`: `ask-` where a person was asked. */
function settle({ trace }: ToolCall, verdict: PermissionOutcome, asked: '' | 'ask-'): ToolResult | undefined {
  trace.decision = verdict.kind === 'denied' ? `${asked}deny` : `${asked}allow`;
  return verdict.kind === 'denied' ? refusedResult(verdict.error) : undefined;
}

function withNote(called: Promise<ToolResult>, verdict: PermissionOutcome): Promise<ToolResult> {
  const note = verdict.kind === 'allowed' ? verdict.note : undefined;
  return note === undefined ? called : called.then((result) => ({ ...result, notes: [...result.notes, note] }));
}
