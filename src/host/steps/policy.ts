import { HostError } from '../../base/errors.js';
import { deny, type CallStep, type ToolCall } from '../calls/pipeline.js';

/**
 * Denies calls to a server that may not run, before any permission question, and calls of tools that the server keeps
 * for its own pages, which no model was shown.
 */
export function policyStep(barred: (server: string) => HostError | undefined): CallStep {
  return (next) => (call) => {
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
