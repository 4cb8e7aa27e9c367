// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { badResponse } from '../../wire/response.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import type { KeptServerResult } from '../kept-server-result.js';
import { extraOptions, type RequestExtras, withExtras } from './request-extras.js';

/** What to complete: a variable of a resource template, or an argument of a prompt. */
export interface CompletionQuestion {
  /** The prompt by its name on the server, or the resource template by its text. */
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  /** The argument or variable, and what has been typed of it so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that have been filled in already. */
  readonly context?: Readonly<Record<string, string>> | undefined;
}

/** Suggested values for an argument. */
export interface Completion {
  /** Best first, in the server's order, 100 at most by the specification. */
  readonly values: readonly string[];
  /** How many values there are in all; undefined where the server does not say. */
  readonly total: number | undefined;
  /** Whether the server has more values than it sent. */
  readonly hasMore: boolean;
}

export interface CompleteOptions extends CallOptions {
  /** Receives the server's own result. */
  readonly kept?: KeptServerResult | undefined;
  /** What the caller adds to the request. */
  readonly extras?: RequestExtras | undefined;
}

/** Requests completions of an argument. Rejects with a HostError. */
export async function complete(
  connection: Connection,
  { ref, argument, context }: CompletionQuestion,
  { kept, extras, ...options }: CompleteOptions = {},
): Promise<Completion> {
  const { session, name: server, redact } = connection;
  const method = 'completion/complete';
  if (!isObject(session.capabilities['completions'])) {
    throw new HostError('unsupported', `Server "${server}" completes nothing`, {
      hint: 'Fill it in by hand; its description may say what it takes',
    });
  }
  const hasContext = context !== undefined && Object.keys(context).length > 0;
  const params = { ref, argument, ...(hasContext && { context: { arguments: context } }) };
  const answer = await session.request(method, withExtras(params, extras, connection), {
    ...options,
    ...extraOptions(extras),
  });
  kept?.take(answer, redact);
  const { completion } = answer;
  if (!isObject(completion) || !Array.isArray(completion['values']))
    throw badResponse({ server, method }, 'it has no list of values');
  const { values, total, hasMore } = completion as { values: unknown[]; total?: unknown; hasMore?: unknown };
  const texts = values.slice(0, VALUE_LIMIT).filter((value) => typeof value === 'string');
  return {
    values: texts.map((text) => redact(gateLine(text, { limit: TEXT_LIMIT }).text)),
    total: Number.isSafeInteger(total) ? (total as number) : undefined,
    hasMore: hasMore === true || values.length > VALUE_LIMIT,
  };
}

const VALUE_LIMIT = 100; // the specification's limit
const TEXT_LIMIT = 1_000;
