// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
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
 * this call alone.
 */
export function askClient(request: ClientRequest, name: string): PermissionAsker | undefined {
  if (!canAsk(request)) return undefined;
  return async (question, signal) => {
    try {
      return toAnswer(await request.ask(toQuestion(question, name), signal));
    } catch (cause) {
      return { kind: 'deny', reason: `the client could not ask its user: ${shown(thrownText(cause))}` };
    }
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
  return { kind: 'deny', reason: action === 'decline' ? 'the question was declined' : 'the question was cancelled' };
}

function shown(text: string): string {
  return gateLine(text, { limit: 200 }).text;
}

const ALLOW = 'Allow once';
const DENY = 'Deny';
