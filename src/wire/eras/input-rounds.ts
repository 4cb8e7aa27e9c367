// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Caller } from '../../model/caller.js';
import { gateLine } from '../../model/text/text-gate.js';
import { badResponse, type ResponseContext } from '../response.js';
import { isDeclared } from '../askable.js';
import { JsonRpcFailure, type RequestHandler } from '../inbound.js';
import type { AnswerTerms } from './request-terms.js';

/** Fields for the next attempt of a request: the input responses, and the server's own state. */
export interface InputRound {
  readonly inputResponses?: JsonObject;
  /** Sent back unchanged; opaque to the client. */
  readonly requestState?: string;
}

/** How often a server may answer one request with `input_required`. */
export const ROUND_LIMIT = 10;

/** Whether a server only waits until the owner's user has visited the pages that it asks for again. */
export function isWaitingForVisits(requests: unknown, owner: Caller | undefined): boolean {
  if (!owner?.isVisiting || !isObject(requests)) return false;
  const asked = Object.values(requests);
  return asked.length > 0 && asked.every((request) => isObject(request) && isVisited(owner, request));
}

function isVisited(owner: Caller, { method, params }: JsonObject): boolean {
  return typeof method === 'string' && isObject(params) && owner.isVisiting?.(method, params) === true;
}

/** Whether a server may answer this method with `input_required`. */
export function mayAsk(method: string): boolean {
  return method === 'tools/call' || method === 'resources/read' || method === 'prompts/get';
}

/** The `requestState` to send back; only its size is checked. Throws a HostError. */
export function readState(result: JsonObject, question: ResponseContext): string | undefined {
  const { requestState } = result;
  if (requestState === undefined) return undefined;
  if (typeof requestState !== 'string') throw badResponse(question, 'its requestState is no text');
  if (requestState.length <= STATE_LIMIT) return requestState;
  throw badResponse(question, `its requestState has more than ${STATE_LIMIT} characters`);
}

export interface InputRequestContext {
  readonly question: ResponseContext;
  /** The capabilities that the request declared, and its owner's handlers. */
  readonly terms: Omit<AnswerTerms, 'questions'>;
  readonly signal: AbortSignal;
}

/**
 * Answers all input requests or none. Rejects with a HostError when a capability was not declared, or when a handler
 * fails, as for a refused sampling; asking again would be pointless then.
 */
export async function answerInputRequests(requests: unknown, answering: InputRequestContext): Promise<JsonObject> {
  const { question } = answering;
  const entries = readEntries(requests, question);
  if (answering.signal.aborted)
    throw new HostError('cancelled', `${question.method} on server "${question.server}" was cancelled`);
  const asked = entries.map(([key, request]) => ({ key, ...readRequest(request, answering) }));
  const answers = await Promise.all(
    asked.map(async ({ key, method, handler, params }) => [key, await run({ method, handler, params }, answering)]),
  );
  // `fromEntries`, so that the key "__proto__" becomes an own property.
  return Object.fromEntries(answers) as JsonObject;
}

/** Refuses what an owner must not be asked, for one that answers by itself. Throws a HostError. */
export function checkInputRequests(requests: unknown, asking: Omit<InputRequestContext, 'signal'>): void {
  if (requests === undefined) return;
  for (const [, request] of readEntries(requests, asking.question)) readRequest(request, asking);
}

function readEntries(requests: unknown, question: ResponseContext): [string, unknown][] {
  if (!isObject(requests)) throw badResponse(question, 'its inputRequests are no object');
  const entries = Object.entries(requests);
  if (entries.length > INPUT_LIMIT) throw badResponse(question, `it asks ${entries.length} things at a time`);
  if (entries.some(([key]) => key.length > KEY_LIMIT))
    throw badResponse(question, 'a key of its inputRequests is far too long');
  return entries;
}

interface InputRequest {
  readonly method: string;
  readonly handler: RequestHandler;
  readonly params: JsonObject;
}

function readRequest(
  request: unknown,
  { question, terms: { handlers, capabilities } }: Omit<InputRequestContext, 'signal'>,
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

/** More questions than a user would answer, for one call and for one server at a time. */
export const INPUT_LIMIT = 20;
const KEY_LIMIT = 1_000; // characters; the key is sent back
const INTERNAL_ERROR = -32603;
const STATE_LIMIT = 1_000_000;
