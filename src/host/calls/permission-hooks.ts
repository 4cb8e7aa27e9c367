import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import type { Hooks } from '../../guard/hooks.js';
import type { Decision } from '../../model/permissions/decision.js';
import type { ToolResult } from '../../model/tool.js';
import type { HookCalls } from './hook-calls.js';
import { deny, type ToolCall } from './pipeline.js';

export interface PermissionHooksOptions {
  readonly hooks: () => Hooks | undefined;
  /** The decision about a call, without asking anybody. Contract: never rejects. */
  readonly foresee: (call: ToolCall) => Promise<Decision>;
  readonly hookCalls: HookCalls;
}

/** The call as hooks leave it, or the result of one that they deny; undefined: no hook is to be asked. Never rejects. */
export type PermissionHooks = (call: ToolCall) => Promise<ToolCall | ToolResult> | undefined;

/**
 * Has PermissionRequest hooks answer where a person would be asked. A hook's yes counts as one of a PreToolUse hook: what
 * no hook may allow is still asked about, with the input as the hook leaves it.
 */
export function permissionHooks({ hooks, foresee, hookCalls }: PermissionHooksOptions): PermissionHooks {
  const request = async (call: ToolCall, own: Hooks): Promise<ToolCall | ToolResult> => {
    const { behavior, by, reason } = await foresee(call);
    if (behavior !== 'ask') return call;
    // A rule would only help where the mode asks.
    const rule = by.kind === 'mode' ? call.tool.name : undefined;
    const verdict = await own.permissionRequest({ call: hookCalls.of(call), reason, rule });
    switch (verdict.kind) {
      case 'ask':
        return call;
      case 'allow': {
        const { input } = verdict;
        call.trace.isAllowedByHook = true;
        if (input === call.input) return call;
        call.trace.input = input;
        return { ...call, input };
      }
      case 'deny': {
        const hint = 'A hook of the user decides about this';
        const error = new HostError('denied', verdict.reason, { hint, cause: verdict.cause });
        return { ...deny(call, 'hook', error), ...(verdict.isInterrupting && { isInterrupting: true }) };
      }
      default:
        return unreachable(verdict);
    }
  };
  return (call) => {
    const { trace } = call;
    const own = call.isTyped || trace.isRequested === true ? undefined : hooks();
    if (!own?.has('PermissionRequest')) return undefined;
    if (!own.matches('PermissionRequest', hookCalls.subjectOf(call.tool))) return undefined;
    trace.isRequested = true;
    return request(call, own);
  };
}
