import { HostError } from '../../base/errors.js';
import { deny, type CallStep, type ToolCall } from '../calls/pipeline.js';

/**
 * A server that may not run by now is not asked for, and nobody is asked whether its tool may be called. Nor is a tool that its
 * server keeps for its own pages: no model was told of it.
 */
export function policyStep(barred: (server: string) => HostError | undefined): CallStep {
  return (call, next) => {
    const { tool } = call;
    const error = (tool.server === undefined ? undefined : barred(tool.server)) ?? hidden(call);
    return error ? Promise.resolve(deny(call, error.code, error)) : next(call);
  };
}

function hidden({ tool, isTyped }: ToolCall): HostError | undefined {
  if (!tool.marks.isHidden || isTyped) return undefined;
  return new HostError('denied', `${tool.name} is not for models: its server keeps it for pages of its own`, {
    hint: 'Use another tool of that server',
  });
}
