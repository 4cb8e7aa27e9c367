import { unreachable } from '../../src/base/never.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What goes wrong at a token endpoint. */
export type TokenFault =
  /** It answers this instead, and does nothing. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly type?: string }
  /** It does its work when the promise says so. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown> }
  /** It does its work at once, and answers when the promise says so. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> }
  /** It does its work, and the connection is gone before the answer is sent. */
  | { readonly kind: 'drop' };

export const FAILING: TokenFault = { kind: 'answer', status: 500, body: '{"error":"server_error"}' };
export const HTML: TokenFault = {
  kind: 'answer',
  status: 200,
  body: '<!doctype html><title>Sign in to the hotel</title>',
  type: 'text/html',
};

/** An error that comes with a status that says there is none. */
export function saying(error: string, status = 200): TokenFault {
  return { kind: 'answer', status, body: JSON.stringify({ error, error_description: 'as some servers say it' }) };
}

/** Whether the work is still to be done. */
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
