import type { CallStep } from '../calls/pipeline.js';

/** Every call has an end. The time that people took to answer is not the server's. */
export function deadlineStep(timeoutOf: (server: string) => number): CallStep {
  return (call, next) => {
    const { tool, context } = call;
    // What is read has the shorter end of everything that is read.
    if (context.timeoutMs !== undefined || tool.server === undefined || tool.act) return next(call);
    return next({ ...call, context: { ...context, timeoutMs: timeoutOf(tool.server) } });
  };
}
