// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { ClientFeatures } from './client-features.js';

export interface QuestionOptions {
  readonly server: string;
  /** Whoever answers for the user. Contract: never rejects. */
  readonly answer: (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  readonly check: (schema: object, value: unknown) => Promise<SchemaOutcome>;
  /** Where the server is: see `toQuestion`. */
  readonly originOf?: () => URL | undefined;
  /** An answer was given that cannot be sent. Contract: must not throw. */
  readonly onProblem?: (message: string) => void;
}

/**
 * What a host declares and does so that a server can ask the user something in the middle of a call: by a request of its own, or in
 * answer to one, which the new era calls the same handler for.
 */
export function elicitationFeature(options: QuestionOptions): ClientFeatures {
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handlers: {
      'elicitation/create': async (params, { signal }) => {
        // Most servers never ask.
        const { toElicitation } = await import('../elicitation/to-question.js');
        const question = toElicitation({ server: options.server, origin: options.originOf?.() }, params);
        if ('kind' in question) throw new JsonRpcFailure(INVALID_PARAMS, question.reason);
        const { action, content = {}, reason } = await options.answer(question, signal);
        if (action === 'decline' && reason !== undefined) return { action, _meta: { [REASON]: reason } };
        if (action !== 'accept') return { action };
        if (question.mode === 'url') return { action };
        const { readContent } = await import('../elicitation/check-answer.js');
        const read = await readContent(question, content, options.check);
        if (read.kind === 'content') return { action, content: read.content };
        // An answer that does not fit is no answer: the server would only find out later.
        options.onProblem?.(
          `The answer to a question of server "${question.server}" does not fit its form: ${read.why}`,
        );
        return { action: 'cancel' };
      },
    },
  };
}

const INVALID_PARAMS = -32602;
/** An answer has no place of its own for why it is a no. */
const REASON = 'plugboard/reason';
