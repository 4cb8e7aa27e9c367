import { shorten } from '../../base/shorten.js';
import type { JsonObject } from '../../base/json.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import { invalidParams, objectParam, textParam } from './failures.js';
import { servedAnswer, toAsked } from './server-answers.js';

/** prompts/get: decided, passed through hooks and written to the ledger like a call. */
export async function promptForClient(parts: CallParts, request: ClientRequest): Promise<JsonObject> {
  const { offering, tables, arrivals } = parts;
  const name = textParam(request.params, 'name');
  const given = objectParam(request.params, 'arguments');
  if (!tables.prompts.lookup(name)) await arrivals.known(offering.servers());
  const prompt = tables.prompts.lookup(name);
  if (!prompt) throw invalidParams(`Unknown prompt: ${shorten(name, 200)}`);
  const { server, tool } = prompt;
  const { asked, ended } = toAsked(parts, request, name);
  const answered = await offering.host
    .getPrompt({ ...asked, server, prompt: tool, arguments: toTexts(given) })
    .finally(ended);
  return servedAnswer(parts, answered, {
    client: request.client,
    server,
    own: (result) => parts.uris(server).inMessages(result),
    // A hook has changed the messages.
    ours: ({ description, messages }) => ({ ...(description !== '' && { description }), messages }),
  });
}

/** By the specification all arguments are texts. */
function toTexts(given: JsonObject): Readonly<Record<string, string>> {
  const entries = Object.entries(given).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    throw invalidParams(`The argument "${shorten(name, 100)}" of a prompt has to be a string`);
  });
  return Object.fromEntries(entries);
}
