// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { badResponse, type ResponseContext } from '../response.js';
import { isDeclared } from '../askable.js';
import { JsonRpcFailure, type RequestHandler } from '../inbound.js';
import type { RequestTerms } from './request-terms.js';

/** What goes with the next try of a request: answers, and the server's own memory of the matter. */
export interface InputRound {
  readonly inputResponses?: JsonObject;
  /** Exactly as it came; nobody but the server knows what it means. */
  readonly requestState?: string;
}

/** How often one request may be answered with a question. */
export const ROUND_LIMIT = 10;

/** Whether this method may be answered so. */
export function mayAsk(method: string): boolean {
  return method === 'tools/call' || method === 'resources/read' || method === 'prompts/get';
}

/** The state to send back, checked for its size and nothing else. Throws a HostError. */
export function readState(result: JsonObject, question: ResponseContext): string | undefined {
  const { requestState } = result;
  if (requestState === undefined) return undefined;
  if (typeof requestState !== 'string') throw badResponse(question, 'its requestState is no text');
  if (requestState.length <= STATE_LIMIT) return requestState;
  throw badResponse(question, `its requestState has more than ${STATE_LIMIT} characters`);
}

export interface InputRequestContext {
  readonly question: ResponseContext;
  /** What the owner of the request has said that it can do, and how it does that. */
  readonly terms: Pick<RequestTerms, 'capabilities' | 'handlers' | 'owner'>;
  readonly signal: AbortSignal;
}

/**
 * Answers what a server wants to know, all of it or nothing. Rejects with a HostError: for what this host has not declared,
 * and for what its handler fails at, a refused sampling for instance, after which asking again would be pointless.
 */
export async function answerInputRequests(requests: unknown, answering: InputRequestContext): Promise<JsonObject> {
  const { question } = answering;
  if (!isObject(requests)) throw badResponse(question, 'its inputRequests are no object');
  const entries = Object.entries(requests);
  if (entries.length > INPUT_LIMIT) throw badResponse(question, `it asks ${entries.length} things at a time`);
  if (entries.some(([key]) => key.length > KEY_LIMIT))
    throw badResponse(question, 'a key of its inputRequests is far too long');
  if (answering.signal.aborted)
    throw new HostError('cancelled', `${question.method} on server "${question.server}" was cancelled`);
  const asked = entries.map(([key, request]) => ({ key, ...readRequest(request, answering) }));
  const answers = await Promise.all(
    asked.map(async ({ key, method, handler, params }) => [key, await run({ method, handler, params }, answering)]),
  );
  // From entries, so that a key like "__proto__" is one like any other.
  return Object.fromEntries(answers) as JsonObject;
}

interface InputRequest {
  readonly method: string;
  readonly handler: RequestHandler;
  readonly params: JsonObject;
}

function readRequest(
  request: unknown,
  { question, terms: { handlers, capabilities } }: InputRequestContext,
): InputRequest {
  if (!isObject(request) || typeof request['method'] !== 'string') {
    throw badResponse(question, 'one of its inputRequests is none');
  }
  const { method, params } = request;
  const handler =
    isDeclared(method, params, capabilities) && Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler) return { method, handler, params: isObject(params) ? params : {} };
  const { server, method: asked } = question;
  const shown = gateLine(method, { limit: 60 }).text;
  throw new HostError('unsupported', `Server "${server}" cannot answer ${asked} without ${shown}`, {
    hint: 'Use a host that can do that, or tell those who make the server: this one has not said that it can',
  });
}

async function run(
  { method, handler, params }: InputRequest,
  { question, terms, signal }: InputRequestContext,
): Promise<object> {
  try {
    const answer: unknown = await handler(params, { signal, owner: terms.owner });
    if (isObject(answer)) return answer;
    throw new JsonRpcFailure(INTERNAL_ERROR, 'what answered it gave no object');
  } catch (cause) {
    const why = cause instanceof JsonRpcFailure ? `: ${gateLine(cause.message, { limit: 200 }).text}` : '';
    const text = `Server "${question.server}" needs ${method} for ${question.method}, which got no answer${why}`;
    throw new HostError('input-failed', text, {
      hint: 'The call was given up; call again to be asked again',
      cause,
    });
  }
}

/** More questions than anybody would answer, of one call and of one server at a time. */
export const INPUT_LIMIT = 20;
const KEY_LIMIT = 1_000; // it is sent back
const INTERNAL_ERROR = -32603;
const STATE_LIMIT = 1_000_000;
