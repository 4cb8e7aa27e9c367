// URL mode elicitation required: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { ToolResult } from '../../model/tool.js';
import type { NextStep, ToolCall } from '../calls/pipeline.js';
import { refusedResult } from '../../model/failed-result.js';

/** Asks the user. Contract: never rejects; declines where nobody can be asked. */
export type Elicit = (question: Elicitation, signal: AbortSignal | undefined) => Promise<ElicitationReply>;

/** The server's origin: see `toElicitation`. */
type OriginOf = (server: string) => URL | undefined;

/** The result of a call that was made again; undefined for one that is over. */
export type CallRetry = (call: ToolCall, result: ToolResult, next: NextStep) => Promise<ToolResult> | undefined;

/**
 * Calls a tool again after the user has visited the pages that its server requires, three times at most. A call with a
 * caller of its own returns the server's error: that caller retries by itself.
 */
export function afterVisits(elicit: Elicit, originOf: OriginOf): CallRetry {
  return (call, result, next) =>
    isWaiting(result) && call.tool.server !== undefined && !call.context.caller
      ? again({ call, next, elicit, originOf }, result)
      : undefined;
}

interface Again {
  readonly call: ToolCall;
  readonly next: NextStep;
  readonly elicit: Elicit;
  readonly originOf: OriginOf;
}

async function again({ call, next, elicit, originOf }: Again, first: ToolResult): Promise<ToolResult> {
  let result = first;
  let { attempts } = first;
  const { server } = call.tool;
  for (let round = 0; round < ROUNDS && isWaiting(result); round++) {
    const questions = await questionsOf({ server: server!, origin: originOf(server!) }, result);
    if (!questions) return { ...result, attempts };
    const no = await firstNo(questions, elicit, call.context.signal);
    const { serverResult } = result;
    if (no) return { ...refusedResult(unanswered(call, no)), attempts, ...(serverResult && { serverResult }) };
    result = await next(call);
    attempts += result.attempts;
  }
  return { ...result, attempts };
}

interface Unvisited {
  readonly question: Elicitation;
  readonly reply: ElicitationReply;
}

/**
 * Asks for all pages at once, so that the completion of one is received while the user is asked about another; the
 * queue shows one question at a time. The first refusal withdraws the others.
 */
async function firstNo(
  questions: readonly Elicitation[],
  elicit: Elicit,
  signal: AbortSignal | undefined,
): Promise<Unvisited | undefined> {
  const stop = new AbortController();
  const wanted = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const noes: Unvisited[] = [];
  const ask = async (question: Elicitation): Promise<void> => {
    const reply = await elicit(question, wanted);
    if (reply.action === 'accept') return;
    noes.push({ question, reply });
    stop.abort();
  };
  await Promise.all(questions.map(ask));
  return noes[0];
}

function isWaiting({ error }: ToolResult): boolean {
  return error?.detail?.kind === 'rpc' && error.detail.code === ELICITATION_REQUIRED;
}

/** Undefined where the server lists no pages, or one that must not be opened. */
async function questionsOf(
  asking: { readonly server: string; readonly origin: URL | undefined },
  { error }: ToolResult,
): Promise<readonly Elicitation[] | undefined> {
  const data = error?.detail?.kind === 'rpc' ? error.detail.data : undefined;
  const list: readonly unknown[] = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
  if (list.length === 0) return undefined;
  const { toElicitation } = await import('../elicitation/to-question.js');
  const questions: Elicitation[] = [];
  for (const one of list.slice(0, QUESTIONS)) {
    const { mode = 'url' } = isObject(one) ? one : {};
    const question = isObject(one) && mode === 'url' ? toElicitation(asking, { ...one, mode }) : undefined;
    if (!question || 'kind' in question) return undefined;
    // The call is made again after the visit, so consent alone is not enough.
    questions.push({ ...question, wants: 'completion' });
  }
  return questions;
}

function unanswered(
  { tool, context }: ToolCall,
  { question: { url }, reply: { action, reason } }: Unvisited,
): HostError {
  if (context.signal?.aborted === true) {
    return new HostError('cancelled', `${tool.name} was cancelled while the user was asked to visit a page first`);
  }
  const why = action === 'decline' ? `declined${reason === undefined ? '' : `: ${reason}`}` : 'cancelled';
  return new HostError('input-failed', `${tool.name} needs the user to visit a page first, and that was ${why}`, {
    hint: `The page is ${url}`,
  });
}

const ELICITATION_REQUIRED = -32042;
const ROUNDS = 3;
const QUESTIONS = 10;
