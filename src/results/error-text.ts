// https://www.jsonrpc.org/specification#error_object
import type { HostError } from '../base/errors.js';
import { cutToLimit } from './text-limit.js';
import { jsonBeginning } from './json-pieces.js';

/** Code and the beginning of the data of a server's JSON-RPC error. Undefined for Plugboard's own errors. */
export function errorText({ detail }: HostError): string | undefined {
  if (detail?.kind !== 'rpc') return undefined;
  const { code, data } = detail;
  if (data === undefined) return `[error code ${code}]`;
  const text = jsonBeginning(data, LIMIT);
  const shown = text.length > LIMIT ? `${cutToLimit(text, LIMIT)} … [truncated]` : text.trimEnd();
  return `[error code ${code}, data: ${shown}]`;
}

const LIMIT = 4_096;
