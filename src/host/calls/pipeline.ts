import type { HostError } from '../../base/errors.js';
import { refusedResult } from '../../model/failed-result.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../../model/tool.js';

/** A call on its way to its tool. */
export interface ToolCall {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly context: CallContext;
  /** A person has typed exactly this: nobody is asked whether it may be done. */
  readonly isTyped: boolean;
  /** The result is wanted as it came, not as a model can take it. */
  readonly isRaw: boolean;
  /** What the steps tell each other, and the ledger. */
  readonly trace: CallTrace;
}

/** Written to by the steps that a call passes. */
export interface CallTrace {
  /** Who decided that it may be made, or may not. */
  decision: string;
  /** The rule, mode or hint that did. */
  rule: string | undefined;
  /** How long somebody was asked. */
  askedMs: number;
  /** A hook has said that nobody has to be asked. */
  isAllowedByHook: boolean;
  /** A hook wants somebody to be asked. */
  mustAsk: boolean;
  /** The input as hooks leave it, where they change it. */
  input?: ToolInput;
}

/** How a call ends that is not made, and what decided that. */
export function deny({ trace }: ToolCall, rule: string, error: HostError): ToolResult {
  trace.decision = 'deny';
  trace.rule = rule;
  return refusedResult(error);
}

/** One layer around a call: it may answer, change the call, make it again, or change the result. Contract: never rejects. */
export type CallStep = (call: ToolCall, next: NextStep) => Promise<ToolResult>;
export type NextStep = (call: ToolCall) => Promise<ToolResult>;

/** The steps outside-in around the tool itself. Composed once: a call makes no closures of its own. */
export function composeSteps(steps: readonly CallStep[]): NextStep {
  return steps.reduceRight<NextStep>(
    (next, step) => (call) => step(call, next),
    ({ tool, input, context }) => tool.call(input, context),
  );
}
