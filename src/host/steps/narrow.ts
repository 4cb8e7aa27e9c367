import { HostError } from '../../base/errors.js';
import type { Tool } from '../../model/tool.js';
import type { Step } from '../pipeline.js';
import { refused } from './refused.js';

/** What a sub-agent was not given it cannot call either, whoever told it the name. */
export function narrowStep(isWithin: (tool: Tool) => boolean): Step {
  return (call, next) => {
    const { tool, trace } = call;
    if (isWithin(tool)) return next(call);
    trace.decision = 'deny';
    trace.rule = 'tools of the agent';
    return Promise.resolve(
      refused(
        new HostError('denied', `${tool.name} is not among the tools that this agent was given`, {
          hint: 'Do without it, and say so in your answer',
        }),
      ),
    );
  };
}
