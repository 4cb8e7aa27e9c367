import type { ServerResponse } from 'node:http';
import { endWhileSending } from './end-while-sending.js';
import type { JsonRpcError, RequestId } from '../../wire/message.js';
import { errorResponseText, INTERNAL_ERROR, INVALID_REQUEST } from '../outgoing.js';

/** Refuses a request with a JSON-RPC error, which clients show. The body was not read: the connection ends. */
export function refuseRequest(
  response: ServerResponse,
  status: number,
  message: string,
  headers: readonly string[] = [],
): void {
  answerWithError(response, status, { code: INVALID_REQUEST, message }, ['Connection', 'close', ...headers]);
}

/** Answers with an error; the body was read, so that the connection can be used again. */
export function answerWithError(
  response: ServerResponse,
  status: number,
  { code, message, data }: JsonRpcError,
  headers: readonly string[],
  id: RequestId | null = null,
): void {
  if (response.destroyed || response.headersSent) return;
  const text = errorResponseText(id, { code, message, data });
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length, ...headers]);
  endWhileSending(response, text);
}

/** Runs what answers a request. An error that nobody expected costs this one request, not the process. */
export function answerOrFail(response: ServerResponse, answer: () => void): void {
  try {
    answer();
  } catch {
    failRequest(response);
  }
}

export function failRequest(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else answerWithError(response, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, ['Connection', 'close']);
}
