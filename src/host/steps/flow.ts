import type { CallFlows } from '../calls/call-flows.js';
import type { CallStep } from '../calls/pipeline.js';

/** Tells the flow guard what a model reads: the result as all other steps leave it. */
export function flowStep(flows: CallFlows): CallStep {
  return (call, next) =>
    next(call).then((result) => {
      flows.read(call, result);
      return result;
    });
}
