import { HostError } from '../base/errors.js';
import type { CallResult } from '../host/host-options.js';
import { refusedResult } from '../model/failed-result.js';

/** Whether a model's API has refused what the request says, rather than failed. */
export function isRefusal({ code, detail }: HostError): boolean {
  return code === 'model-failed' && detail?.kind === 'http' && REFUSED.has(detail.status);
}

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/** The result of a call that was made, for a model whose API refuses what came of it. */
export function toWithheld(result: CallResult, { message }: HostError): CallResult {
  const text = `The call was made (${result.outcome}), but what came of it cannot be shown to you: ${message}. Ask for less of it, or in another form.`;
  const error = new HostError('model-failed', text);
  const { structuredContent: _, ...rest } = result;
  return { ...rest, content: [{ type: 'text', text }], error };
}

/** The result of a call that is not made, because its input could not be parsed. */
export function toUnread(callId: string, name: string, fault: string): CallResult {
  const error = new HostError('bad-input', `The call of ${name} was not made: ${fault}`, {
    hint: 'Write its arguments as one JSON object',
  });
  return { ...refusedResult(error), server: undefined, tool: undefined, name, calledAs: name, callId, ms: 0 };
}
