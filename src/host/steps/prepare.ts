import type { ToolResult } from '../../model/tool.js';
import type { NextStep, CallStep, ToolCall } from '../calls/pipeline.js';

/** Waits for what a tool must know of its server before a decision. Before hooks: they see the same as the user. */
export const prepareStep: CallStep = (next) => (call) => {
  const { tool, input, context } = call;
  const prepared = tool.prepare?.(input, context);
  return prepared ? after(prepared, call, next) : next(call);
};

async function after(prepared: Promise<void>, call: ToolCall, next: NextStep): Promise<ToolResult> {
  await prepared;
  return next(call);
}
