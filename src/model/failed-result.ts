import type { HostError } from '../base/errors.js';
import type { ToolResult } from './tool.js';

/** How a call ends that gets no answer. What a model reads is the same that a person would. */
export function failed(outcome: 'error' | 'unknown', error: HostError, attempts: number): ToolResult {
  const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return { outcome, error, content: [{ type: 'text', text }], saved: [], notes: [], attempts };
}

/** One that was not made. */
export function refusedResult(error: HostError): ToolResult {
  return failed('error', error, 0);
}
