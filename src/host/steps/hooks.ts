import { HostError } from '../../base/errors.js';
import type { Hooks } from '../../guard/hooks.js';
import type { Clock } from '../../model/clock.js';
import type { HookCall, PreVerdict } from '../../model/hooks/hook-call.js';
import type { ToolResult } from '../../model/tool.js';
import type { HookCalls } from '../calls/hook-calls.js';
import { deny, type NextStep, type CallStep, type ToolCall } from '../calls/pipeline.js';

export interface HooksStepOptions {
  readonly hooks: () => Hooks | undefined;
  readonly clock: Clock;
  /** Whether rules deny the call whatever a hook says: then no hook is run. */
  readonly isDenied: (call: ToolCall) => boolean;
  readonly hookCalls: HookCalls;
  /** The user is never asked about these calls: a hook that answers `ask` refuses. */
  readonly asksNobody?: boolean;
}

/**
 * Hooks see a call before any permission question, and its result after shaping. The later steps, permission included,
 * see the input as hooks leave it.
 */
export function hooksStep({ hooks, clock, isDenied, hookCalls, asksNobody = false }: HooksStepOptions): CallStep {
  const go = (
    call: ToolCall,
    next: NextStep,
    asked: HookCall,
    verdict: PreVerdict,
    own: Hooks,
  ): Promise<ToolResult> => {
    if (verdict.kind === 'block') {
      const { reason, cause } = verdict;
      const error = new HostError('denied', reason, { hint: 'A hook of the user decides about this', cause });
      return Promise.resolve(deny(call, 'hook', error));
    }
    const { input, isAllowed, mustAsk, context } = verdict;
    if (mustAsk && asksNobody) return Promise.resolve(deny(call, 'hook', unaskable(call)));
    call.trace.isAllowedByHook = isAllowed;
    call.trace.mustAsk = mustAsk;
    const began = clock.monotonic();
    const isSame = input === call.input;
    if (!isSame) call.trace.input = input;
    return next(isSame ? call : { ...call, input }).then((result) => {
      // Without the time in which a person was asked, which was rounded.
      const ms = Math.max(clock.monotonic() - began - call.trace.askedMs, 0);
      const after = hasRun(result) ? seen(call, asked, result, own, ms) : result;
      if (context.length === 0) return after;
      return 'then' in after ? after.then((later) => withContext(later, context)) : withContext(after, context);
    });
  };
  return (next) => (call) => {
    const own = hooks();
    if (!own) return next(call);
    const subject = hookCalls.subjectOf(call.tool);
    if (!EVENTS.some((event) => own.matches(event, subject))) return next(call);
    // The permission step denies it.
    if (isDenied(call)) return next(call);
    const asked = hookCalls.of(call, subject);
    const verdict = own.preToolUse(asked);
    return 'then' in verdict
      ? verdict.then((later) => go(call, next, asked, later, own))
      : go(call, next, asked, verdict, own);
  };
}

function unaskable({ tool }: ToolCall): HostError {
  const reason = `A hook wants you to be asked about ${tool.name}, and nobody is asked while a value is completed`;
  return new HostError('denied', reason, { hint: 'Fill it in by hand, or let the hook allow or deny completions' });
}

const EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const;

/** Whether the tool may have run. A call that was denied, or whose input does not fit, has no result to look at. */
function hasRun({ attempts, error }: ToolResult): boolean {
  return attempts > 0 && error?.code !== 'bad-input';
}

function seen(
  { trace }: ToolCall,
  asked: HookCall,
  result: ToolResult,
  own: Hooks,
  ms: number,
): ToolResult | Promise<ToolResult> {
  // The input as it was sent: a hook may have changed it before the call, or in place of the user.
  const { input = asked.input } = trace;
  return own.postToolUse(input === asked.input ? asked : { ...asked, input }, result, ms);
}

function withContext(result: ToolResult, context: readonly string[]): ToolResult {
  const added = context.map((text) => ({ type: 'text' as const, text: `[From a hook of the user] ${text}` }));
  const content = [...result.content, ...added];
  return { ...result, content, ...(result.serverResult && { changedByHook: true }) };
}
