import type { ToolResult } from '../../model/tool.js';
import type { Run, Step, ToolCall } from '../pipeline.js';

/** Some calls can be decided about only when more is known of their server. Before hooks, so that they and whoever is asked see the same. */
export const prepareStep: Step = (call, next) => {
  const { tool, input, context } = call;
  const prepared = tool.prepare?.(input, context);
  return prepared ? after(prepared, call, next) : next(call);
};

async function after(prepared: Promise<void>, call: ToolCall, next: Run): Promise<ToolResult> {
  await prepared;
  return next(call);
}
