// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import { isObject } from '../base/json.js';
import { roughSize } from '../base/rough-size.js';
import type { ConnectionOptions } from '../connection/connection.js';
import type { HookQuestion, HookReply } from '../model/hook-call.js';
import type { SchemaOutcome } from '../model/schema/check.js';
import { gateLine, gateText } from '../model/text-gate.js';
import { gateUrl } from '../model/url-gate.js';
import { JsonRpcFailure } from '../wire/inbound.js';
import type { JsonObject } from '../wire/message.js';

export interface QuestionOptions {
  readonly server: string;
  /** Whoever answers for the user. Contract: never rejects. */
  readonly answer: (question: HookQuestion, signal: AbortSignal) => Promise<HookReply>;
  readonly check: (schema: object, value: unknown) => Promise<SchemaOutcome>;
}

/** What a host declares and does so that a server can ask the user something in the middle of a call. */
export function servingQuestions({
  server,
  answer,
  check,
}: QuestionOptions): NonNullable<ConnectionOptions['serving']> {
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handlers: {
      'elicitation/create': async (params, { signal }) => {
        const question = toQuestion(server, params);
        const { action, content } = await answer(question, signal);
        if (action !== 'accept') return { action };
        if (question.mode === 'url') return { action };
        // An answer that does not fit is no answer: the server would only find out later.
        const schema = question.requestedSchema;
        const outcome = isObject(schema) ? await check(schema, content ?? {}) : undefined;
        return outcome?.kind === 'invalid' ? { action: 'cancel' } : { action, content: content ?? {} };
      },
    },
  };
}

/** Throws what the server gets to read. */
function toQuestion(server: string, params: JsonObject): HookQuestion {
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params;
  const told = gateText(typeof message === 'string' ? message : '', { limit: MESSAGE }).text;
  if (mode === 'url') {
    const verdict = typeof url === 'string' ? gateUrl(url, { from: 'server', purpose: 'open' }) : undefined;
    if (!verdict?.ok)
      throw new JsonRpcFailure(INVALID_PARAMS, `The URL is refused: ${verdict?.reason ?? 'there is none'}`);
    const id = typeof elicitationId === 'string' ? gateLine(elicitationId, { limit: 200 }).text : undefined;
    return { server, mode, message: told, url: verdict.href, ...(id !== undefined && { elicitationId: id }) };
  }
  if (mode !== 'form') throw new JsonRpcFailure(INVALID_PARAMS, 'The mode has to be form or url');
  if (!isObject(requestedSchema) || roughSize(requestedSchema, SCHEMA) > SCHEMA) {
    throw new JsonRpcFailure(INVALID_PARAMS, 'The requestedSchema is missing, or too large');
  }
  return { server, mode, message: told, requestedSchema };
}

const INVALID_PARAMS = -32602;
const MESSAGE = 2_000;
const SCHEMA = 64_000; // characters: nobody fills in a larger form
