// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { ClientFeatures } from './client-features.js';

export interface QuestionOptions {
  readonly server: string;
  /** Answers for the user. Contract: never rejects. */
  readonly answer: (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  readonly check: (schema: object, value: unknown) => Promise<SchemaOutcome>;
  /** The server's origin: see `toElicitation`. */
  readonly originOf?: () => URL | undefined;
  /** Called for an answer that cannot be sent. Contract: must not throw. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Lets a server ask the user something during a call: by a request of its own or, in the modern era, in its response,
 * for which the same handler is called.
 */
export function elicitationFeature(options: QuestionOptions): ClientFeatures {
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handlers: {
      'elicitation/create': async (params, { signal }) => {
        // Lazy: most servers never ask.
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
        // An answer that breaks the schema is not sent: the server would only find out later.
        options.onProblem?.(
          `The answer to a question of server "${question.server}" does not fit its form: ${read.why}`,
        );
        return { action: 'cancel' };
      },
    },
  };
}

const INVALID_PARAMS = -32602;
/** The protocol has no field for the reason of a decline. */
const REASON = 'plugboard/reason';
