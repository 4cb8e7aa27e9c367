import type { CallStep } from '../calls/pipeline.js';

/** Gives every call to a server a timeout. Innermost, so that the time for questions to the user does not count. */
export function deadlineStep(timeoutOf: (server: string) => number): CallStep {
  return (call, next) => {
    const { tool, context } = call;
    // Requests other than tool calls have a shorter timeout of their own.
    if (context.timeoutMs !== undefined || tool.server === undefined || tool.act) return next(call);
    return next({ ...call, context: { ...context, timeoutMs: timeoutOf(tool.server) } });
  };
}
