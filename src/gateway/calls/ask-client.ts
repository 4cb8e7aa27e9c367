// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { thrownText } from '../../base/thrown-text.js';
import type { ToolRequest } from '../../host/host-options.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { ClientRequest, Question } from '../../serving/endpoint.js';

/** As `ToolRequest.ask`. */
export type PermissionAsker = NonNullable<ToolRequest['ask']>;
type PermissionQuestion = Parameters<PermissionAsker>[0];
type PermissionAnswer = Awaited<ReturnType<PermissionAsker>>;

/**
 * Asks the user of a client whether one call may be made; undefined where the client cannot ask. The answer holds for
 * this call alone. Rejects where nobody answers, so that the denial names the rule that would allow the call.
 */
export function askClient(request: ClientRequest, name: string): PermissionAsker | undefined {
  if (!canAsk(request)) return undefined;
  return async (question, signal) => {
    const reply = await request.ask(toQuestion(question, name), signal).catch((cause: unknown) => {
      throw unanswered(`the client could not ask its user: ${shown(thrownText(cause))}`);
    });
    return toAnswer(reply);
  };
}

/** An empty capability has meant forms from the beginning. */
function canAsk({ client: { capabilities } }: ClientRequest): boolean {
  const { elicitation } = capabilities;
  return isObject(elicitation) && (isObject(elicitation['form']) || !isObject(elicitation['url']));
}

function toQuestion({ server, title, tool, reason, shown: input, change }: PermissionQuestion, name: string): Question {
  const what = shown(title ?? tool);
  const whose = server === undefined ? '' : ` of server "${shown(server)}"`;
  const lines = [
    `Plugboard asks: may "${what}"${whose} be called (${name})?`,
    `Why you are asked: ${reason}`,
    ...(change ? [`What differs from the definition that was allowed: ${change.join('; ')}`] : []),
    `Its input: ${input}`,
    'A yes holds for this call alone.',
  ];
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: lines.join('\n'),
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', title: 'May it be called?', enum: [ALLOW, DENY] } },
        required: ['answer'],
      },
    },
  };
}

function toAnswer(reply: { readonly [field: string]: unknown }): PermissionAnswer {
  const { action, content } = reply;
  const answer = isObject(content) ? content['answer'] : undefined;
  if (action === 'accept' && answer === ALLOW) return { kind: 'allow', remember: 'once' };
  if (action === 'accept') return { kind: 'deny' };
  if (action === 'decline') return { kind: 'deny', reason: 'the question was declined' };
  // A client without a person at it declares that it can ask, and cancels: a rule is what helps then.
  throw unanswered('the client closed the question without an answer');
}

function unanswered(why: string): HostError {
  return new HostError('denied', why);
}

function shown(text: string): string {
  return gateLine(text, { limit: 200 }).text;
}

const ALLOW = 'Allow once';
const DENY = 'Deny';
