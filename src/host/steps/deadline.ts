import type { Step } from '../pipeline.js';

/** Every call has an end. The time that people took to answer is not the server's. */
export function deadlineStep(timeoutOf: (server: string) => number): Step {
  return (call, next) => {
    const { tool, context } = call;
    if (context.timeoutMs !== undefined || tool.server === undefined) return next(call);
    return next({ ...call, context: { ...context, timeoutMs: timeoutOf(tool.server) } });
  };
}
