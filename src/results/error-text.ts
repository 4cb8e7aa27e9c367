// https://www.jsonrpc.org/specification#error_object
import type { HostError } from '../base/errors.js';
import { cutToLimit } from './text-limit.js';
import { jsonBeginning } from './json-pieces.js';

/** What an error of the server holds beside its message: its code, and the first of its data. Undefined for errors of our own. */
export function errorText({ detail }: HostError): string | undefined {
  if (detail?.kind !== 'rpc') return undefined;
  const { code, data } = detail;
  if (data === undefined) return `[error code ${code}]`;
  const text = jsonBeginning(data, LIMIT);
  const shown = text.length > LIMIT ? `${cutToLimit(text, LIMIT)} … [truncated]` : text.trimEnd();
  return `[error code ${code}, data: ${shown}]`;
}

const LIMIT = 4_096;
