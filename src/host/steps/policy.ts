import type { HostError } from '../../base/errors.js';
import type { Step } from '../pipeline.js';
import { refused } from './refused.js';

/** A server that may not run by now is not asked for, and nobody is asked whether its tool may be called. */
export function policyStep(barred: (server: string) => HostError | undefined): Step {
  return (call, next) => {
    const { tool, trace } = call;
    const error = tool.server === undefined ? undefined : barred(tool.server);
    if (!error) return next(call);
    trace.decision = 'deny';
    trace.rule = error.code;
    return Promise.resolve(refused(error));
  };
}
