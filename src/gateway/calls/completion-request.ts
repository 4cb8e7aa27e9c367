import { isObject, type JsonObject } from '../../base/json.js';
import type { CompletionRequest } from '../../host/requests/complete-argument.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import { invalidParams, objectParam, textParam } from './failures.js';
import { findResource } from './resource-request.js';
import { servedAnswer, toAsked } from './server-answers.js';

type Ref = CompletionRequest['ref'];

/** completion/complete: for a prompt or a template, by the names that clients know. */
export async function completionForClient(parts: CallParts, request: ClientRequest): Promise<JsonObject> {
  const { params } = request;
  const { server, ref } = await findRef(parts, objectParam(params, 'ref'));
  const argument = objectParam(params, 'argument');
  const { asked, ended } = toAsked(parts, request, 'completion/complete');
  const answered = await parts.offering.host
    .complete({
      ...asked,
      server,
      ref,
      argument: { name: textParam(argument, 'name'), value: textParam(argument, 'value') },
      context: toContext(objectParam(params, 'context')),
    })
    .finally(ended);
  // Among others, a server that completes nothing has nothing to suggest.
  const isAmongOthers = parts.offering.only === undefined;
  if (isAmongOthers && !answered.ok && answered.error.code === 'unsupported') return { completion: { values: [] } };
  return servedAnswer(parts, answered, {
    client: request.client,
    server,
    own: (result) => result,
    ours: ({ values, total, hasMore }) => ({
      completion: { values, ...(total !== undefined && { total }), hasMore },
    }),
  });
}

async function findRef(parts: CallParts, ref: JsonObject): Promise<{ readonly server: string; readonly ref: Ref }> {
  const { type } = ref;
  if (type === 'ref/prompt') {
    const name = textParam(ref, 'name');
    const prompt = parts.tables.prompts.lookup(name);
    // One that is set aside is not listed, and nothing is sent about it either.
    const isListed = prompt && parts.offering.offers.promptFault(prompt.server, prompt.tool) === undefined;
    if (!isListed) throw invalidParams(`Unknown prompt: ${name.slice(0, 200)}`);
    return { server: prompt.server, ref: { type, name: prompt.tool } };
  }
  if (type !== 'ref/resource') throw invalidParams('"ref" has to be of type ref/prompt or ref/resource');
  const { server, uri } = await findResource(parts, textParam(ref, 'uri'));
  return { server, ref: { type, uri } };
}

function toContext({ arguments: given }: JsonObject): Readonly<Record<string, string>> | undefined {
  if (!isObject(given)) return undefined;
  const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}
