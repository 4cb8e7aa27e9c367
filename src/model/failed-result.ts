import type { HostError } from '../base/errors.js';
import type { ToolResult } from './tool.js';

/** The result of a call that got no response. The model reads the text that a person would read. */
export function failed(outcome: 'error' | 'unknown', error: HostError, attempts: number): ToolResult {
  const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return { outcome, error, content: [{ type: 'text', text }], saved: [], notes: [], attempts };
}

/** The result of a call that was refused before it was sent. */
export function refusedResult(error: HostError): ToolResult {
  return failed('error', error, 0);
}
