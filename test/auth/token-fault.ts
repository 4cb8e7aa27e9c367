import { unreachable } from '../../src/base/never.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A fault of a token endpoint. */
export type TokenFault =
  /** Sends this response and does not process the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly type?: string }
  /** Processes the request when the promise has resolved. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown> }
  /** Processes the request at once, and responds when the promise has resolved. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> }
  /** Processes the request and drops the connection instead of responding. */
  | { readonly kind: 'drop' };

export const FAILING: TokenFault = { kind: 'answer', status: 500, body: '{"error":"server_error"}' };
export const HTML: TokenFault = {
  kind: 'answer',
  status: 200,
  body: '<!doctype html><title>Sign in to the hotel</title>',
  type: 'text/html',
};

/** An OAuth error, by default with HTTP status 200. */
export function saying(error: string, status = 200): TokenFault {
  return { kind: 'answer', status, body: JSON.stringify({ error, error_description: 'as some servers say it' }) };
}

/** Applies the fault. Returns whether the request is still to be processed. */
export async function suffer(
  fault: TokenFault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!fault) return true;
  switch (fault.kind) {
    case 'answer':
      request.resume();
      response.writeHead(fault.status, {
        'content-type': fault.type ?? 'application/json',
        'cache-control': 'no-store',
      });
      response.end(fault.body);
      return false;
    case 'slow':
      await fault.until;
      return !response.destroyed;
    case 'late': {
      const end = response.end.bind(response);
      Object.assign(response, { end: (body: string) => void fault.until.then(() => end(body)) });
      return true;
    }
    case 'drop':
      Object.assign(response, { end: () => request.socket.destroy(), write: () => true });
      return true;
    default:
      return unreachable(fault);
  }
}
