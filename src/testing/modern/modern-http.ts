// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
import { HEADER_MISMATCH } from '../../wire/rpc-codes.js';
import { isObject } from '../../base/json.js';
import { failure } from '../healthy.js';
import type { HttpTurn, IncomingRequest } from '../http/http-turn.js';
import type { RequestCounts } from '../ledger.js';
import { envelopeFault, LISTEN, modernAnswer } from './modern-healthy.js';
import { routingFaults } from './routing-check.js';

/** Counts what a correct host of the modern era never sends: wrong headers, session ids, event ids. */
export function countModern(incoming: IncomingRequest, message: unknown, ledger: RequestCounts): void {
  const { headers } = incoming;
  // `initialize` is of the legacy era, whose headers do not repeat the method.
  if (isObject(message) && message['method'] === 'initialize') return;
  if (routingFaults(incoming, message).length > 0) ledger.add('mismatch');
  if (headers['mcp-session-id'] !== undefined) ledger.add('with session');
  if (headers['last-event-id'] !== undefined) ledger.add('with event id');
}

interface Answering {
  readonly counts: () => object;
  readonly style: 'json' | 'sse';
}

/** Answers like a healthy server, which refuses a request whose headers and body disagree. */
export async function answerModern(turn: HttpTurn, { counts, style }: Answering): Promise<boolean> {
  const { id, method, params, incoming } = turn;
  const faults = method === 'initialize' ? [] : routingFaults(incoming, { method, params });
  if (faults.length > 0) {
    return sayJson(turn, 400, failure(id, HEADER_MISMATCH, `Header mismatch: ${faults.join(', ')}`));
  }
  const text = modernAnswer(turn, counts);
  const status = method === 'initialize' || envelopeFault(turn) !== undefined ? 400 : statusOf(text);
  if (status !== 200 || (style === 'json' && method !== LISTEN)) return sayJson(turn, status, text);
  const events = await turn.stream();
  await events.event(text);
  return method === LISTEN || events.end();
}

function sayJson({ reply }: HttpTurn, status: number, body: string): Promise<boolean> {
  return reply({ status, headers: { 'Content-Type': 'application/json' }, body });
}

function statusOf(text: string): number {
  const { error } = JSON.parse(text) as { readonly error?: { readonly code: number } };
  return error?.code === -32601 ? 404 : 200;
}
