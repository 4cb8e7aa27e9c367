import { HostError } from '../../base/errors.js';
import type { Hooks } from '../../guard/hooks.js';
import type { Clock } from '../../model/clock.js';
import type { HookCall, PreVerdict } from '../../model/hooks/hook-call.js';
import type { Tool, ToolResult } from '../../model/tool.js';
import { deny, type NextStep, type CallStep, type ToolCall } from '../calls/pipeline.js';

export interface HooksStepOptions {
  readonly hooks: () => Hooks | undefined;
  readonly clock: Clock;
  /** Whether rules deny the call whatever a hook says: then no hook is run. */
  readonly isDenied: (call: ToolCall) => boolean;
  /** Further facts about the call for hooks. */
  readonly about: (tool: Tool) => Pick<HookCall, 'source' | 'mode'>;
  /** The server that the tool's server is another account of. */
  readonly accountOf: (tool: Tool) => string | undefined;
}

/**
 * Hooks see a call before any permission question, and its result after shaping. The later steps, permission included,
 * see the input as hooks leave it.
 */
export function hooksStep({ hooks, clock, isDenied, about, accountOf }: HooksStepOptions): CallStep {
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
    call.trace.isAllowedByHook = isAllowed;
    call.trace.mustAsk = mustAsk;
    const began = clock.monotonic();
    const isSame = input === call.input;
    if (!isSame) call.trace.input = input;
    return next(isSame ? call : { ...call, input }).then((result) => {
      const after = own.postToolUse(isSame ? asked : { ...asked, input }, result, clock.monotonic() - began);
      if (context.length === 0) return after;
      return 'then' in after ? after.then((later) => withContext(later, context)) : withContext(after, context);
    });
  };
  return (call, next) => {
    const { tool, input, context } = call;
    const own = hooks();
    if (!own) return next(call);
    const { name, alias, server } = tool;
    const subject = { name, alias, server, tool: tool.tool, accountOf: accountOf(tool) };
    if (!own.matches('PreToolUse', subject) && !own.matches('PostToolUse', subject)) return next(call);
    // The permission step denies it.
    if (isDenied(call)) return next(call);
    const { callId, signal } = context;
    const { source, mode } = about(tool);
    const asked: HookCall = { ...subject, input, callId, source, mode, signal };
    const verdict = own.preToolUse(asked);
    return 'then' in verdict
      ? verdict.then((later) => go(call, next, asked, later, own))
      : go(call, next, asked, verdict, own);
  };
}

function withContext(result: ToolResult, context: readonly string[]): ToolResult {
  const added = context.map((text) => ({ type: 'text' as const, text: `[From a hook of the user] ${text}` }));
  const content = [...result.content, ...added];
  return { ...result, content, ...(result.serverResult && { changedByHook: true }) };
}
