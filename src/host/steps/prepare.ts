import type { ToolResult } from '../../model/tool.js';
import type { NextStep, CallStep, ToolCall } from '../calls/pipeline.js';

/** Some calls can be decided about only when more is known of their server. Before hooks, so that they and whoever is asked see the same. */
export const prepareStep: CallStep = (call, next) => {
  const { tool, input, context } = call;
  const prepared = tool.prepare?.(input, context);
  return prepared ? after(prepared, call, next) : next(call);
};

async function after(prepared: Promise<void>, call: ToolCall, next: NextStep): Promise<ToolResult> {
  await prepared;
  return next(call);
}
