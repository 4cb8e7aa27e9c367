// URL mode elicitation required: https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { HookQuestion, HookReply } from '../../model/hook-call.js';
import { gateLine, gateText } from '../../model/text-gate.js';
import type { ToolResult } from '../../model/tool.js';
import { gateUrl } from '../../model/url-gate.js';
import type { Run, Step, ToolCall } from '../pipeline.js';
import { refused } from './refused.js';

/** Asks whoever can answer for the user. Contract: never rejects; a host with nobody to ask declines. */
export type Elicit = (question: HookQuestion, signal: AbortSignal | undefined) => Promise<HookReply>;

/** A server that wants the user to visit a page first is called again when that is done, three times at most. */
export function elicitationStep(elicit: Elicit): Step {
  return (call, next) =>
    next(call).then((result) =>
      isWaiting(result) && call.tool.server !== undefined ? again(call, next, result, elicit) : result,
    );
}

async function again(call: ToolCall, next: Run, first: ToolResult, elicit: Elicit): Promise<ToolResult> {
  let result = first;
  let { attempts } = first;
  for (let round = 0; round < ROUNDS && isWaiting(result); round++) {
    const questions = questionsOf(call.tool.server!, result);
    if (!questions) return result;
    for (const question of questions) {
      const { action } = await elicit(question, call.context.signal);
      if (action === 'accept') continue;
      return { ...refused(unanswered(call, question, action)), attempts };
    }
    result = await next(call);
    attempts += result.attempts;
  }
  return { ...result, attempts };
}

function isWaiting({ error }: ToolResult): boolean {
  return error?.detail?.kind === 'rpc' && error.detail.code === ELICITATION_REQUIRED;
}

/** Undefined where the server does not say what it wants, or wants what nobody should open. */
function questionsOf(server: string, { error }: ToolResult): readonly HookQuestion[] | undefined {
  const data = error?.detail?.kind === 'rpc' ? error.detail.data : undefined;
  const list = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'].slice(0, QUESTIONS) : [];
  const questions = list.map((one: unknown) => toQuestion(server, one));
  return questions.length > 0 && questions.every((one) => one !== undefined) ? questions : undefined;
}

function toQuestion(server: string, value: unknown): HookQuestion | undefined {
  if (!isObject(value) || typeof value['url'] !== 'string') return undefined;
  const { url, message, elicitationId } = value;
  const verdict = gateUrl(url, { from: 'server', purpose: 'open' });
  if (!verdict.ok) return undefined;
  return {
    server,
    mode: 'url',
    message: gateText(typeof message === 'string' ? message : '', { limit: 2_000 }).text,
    url: verdict.url.href,
    ...(typeof elicitationId === 'string' && { elicitationId: gateLine(elicitationId, { limit: 200 }).text }),
  };
}

function unanswered({ tool }: ToolCall, { url }: HookQuestion, action: 'decline' | 'cancel'): HostError {
  const why = action === 'decline' ? 'and that was declined, or nobody was there to ask' : 'and that was cancelled';
  return new HostError('input-failed', `${tool.name} needs the user to visit a page first, ${why}`, {
    hint: `The page is ${url}`,
  });
}

const ELICITATION_REQUIRED = -32042;
const ROUNDS = 3;
const QUESTIONS = 10;
