import type { HostError } from '../../base/errors.js';
import type { AskPermission } from '../../guard/permission-question.js';
import type { FlowLook } from '../../guard/flow-guard.js';
import { refusedResult } from '../../model/failed-result.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../../model/tool.js';

export interface ToolCall {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly context: CallContext;
  /** A person asked for exactly this call: no permission question. */
  readonly isTyped: boolean;
  /** The input is sent as it is, also where it does not fit the schema. */
  readonly isForced: boolean;
  /** Answers the permission question about this call where the host has nobody to ask. */
  readonly ask?: AskPermission | undefined;
  /** The result is returned as the server sent it, not fitted to a model. */
  readonly isRaw: boolean;
  /** When the call began, on the monotonic clock. */
  readonly began: number;
  /** What steps pass on to later steps and to the ledger. */
  readonly trace: CallTrace;
}

export interface CallTrace {
  /** `allow` or `deny`; `ask-allow` or `ask-deny` where a person was asked. */
  decision: string;
  /** The rule, mode, hint, hook or person that decided. */
  rule: string | undefined;
  /** Milliseconds in which the user was asked. */
  askedMs: number;
  /** A hook has allowed the call, so the user is not asked. */
  isAllowedByHook: boolean;
  /** A hook requires that the user is asked. */
  mustAsk: boolean;
  /** PermissionRequest hooks have been asked about the call. */
  isRequested: boolean;
  /** The input after hooks; undefined when no hook has changed it. */
  input: ToolInput | undefined;
  /** What the flow guard says about an input; undefined before it has looked. */
  flow: { readonly input: ToolInput; readonly look: FlowLook | undefined } | undefined;
}

export function newTrace(): CallTrace {
  return {
    decision: 'allow',
    rule: undefined,
    askedMs: 0,
    isAllowedByHook: false,
    mustAsk: false,
    isRequested: false,
    input: undefined,
    flow: undefined,
  };
}

/** Returns the result of a call that is not made, and writes the denying rule to its trace. */
export function deny({ trace }: ToolCall, rule: string, error: HostError): ToolResult {
  trace.decision = 'deny';
  trace.rule = rule;
  return refusedResult(error);
}

/**
 * One layer around a call: may answer, change the call or its result, or call again. It is given the next layer once, so
 * that a call passes no function between two layers. Contract: what it returns never rejects.
 */
export type CallStep = (next: NextStep) => NextStep;
export type NextStep = (call: ToolCall) => Promise<ToolResult>;

/** Composes the steps around the tool, first step outermost. */
export function composeSteps(steps: readonly CallStep[]): NextStep {
  return steps.reduceRight<NextStep>(
    (next, step) => step(next),
    ({ tool, input, context }) => tool.call(input, context),
  );
}
