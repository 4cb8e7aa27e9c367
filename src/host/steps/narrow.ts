import { HostError } from '../../base/errors.js';
import type { Tool } from '../../model/tool.js';
import { deny, type CallStep } from '../calls/pipeline.js';

/** Denies tools that a sub-agent was not given, wherever it has the name from. */
export function narrowStep(isWithin: (tool: Tool) => boolean): CallStep {
  return (next) => (call) => {
    const { tool } = call;
    if (isWithin(tool)) return next(call);
    const error = new HostError('denied', `${tool.name} is not among the tools that this agent was given`, {
      hint: 'Do without it, and say so in your answer',
    });
    return Promise.resolve(deny(call, 'tools of the agent', error));
  };
}
