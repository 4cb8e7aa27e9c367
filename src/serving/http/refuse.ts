import type { ServerResponse } from 'node:http';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { errorText, INVALID_REQUEST } from '../outgoing.js';

/** Refuses a request with a JSON-RPC error, which clients show. The body was not read: the connection ends. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: readonly string[] = [],
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, ['Content-Type', 'application/json', 'Connection', 'close', ...headers]);
  response.end(errorText(null, new JsonRpcFailure(INVALID_REQUEST, message)));
}
