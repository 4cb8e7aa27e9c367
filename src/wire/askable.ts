import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';
import { redactValue } from '../model/redaction/redact-value.js';
import type { RequestHandler, ResponderOptions } from './inbound.js';

/** The requests that a server may send to a client, with the client capability that each needs. */
const ASKABLE: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

export function isAskable(method: string): boolean {
  return ASKABLE.has(method);
}

/** Whether the capabilities cover this request, down to the elicitation mode: declaring forms does not include URLs. */
export function isDeclared(method: string, params: unknown, capabilities: Caller['capabilities']): boolean {
  const name = ASKABLE.get(method);
  const capability = name === undefined ? undefined : capabilities[name];
  if (!isObject(capability)) return false;
  const { mode, tools } = isObject(params) ? params : ({} as JsonObject);
  if (method === 'elicitation/create' && mode === 'url') return isObject(capability['url']);
  if (method === 'elicitation/create') return isObject(capability['form']) || !('url' in capability);
  return method !== 'sampling/createMessage' || tools === undefined || isObject(capability['tools']);
}

/** The handlers of the caller that a connection was opened for; none for a shared connection without handlers. */
export function openersHandlers(
  { handlers, opener, redact }: ResponderOptions,
  server: string,
): Readonly<Record<string, RequestHandler>> {
  return handlers ?? (opener ? handlersOf(opener, { server, redact }) : {});
}

interface AskingServer extends Pick<ResponderOptions, 'redact'> {
  readonly server: string;
}

/** Handlers that pass this server's requests to one caller. */
export function handlersOf(caller: Caller, { server, redact }: AskingServer): Readonly<Record<string, RequestHandler>> {
  return Object.fromEntries(
    Array.from(ASKABLE.keys(), (method): [string, RequestHandler] => [
      method,
      (params, { signal }) => caller.answer(method, withoutSecrets(params, redact), { server, signal }),
    ]),
  );
}

/** A page keeps its address: a sign-in with another one would fail. */
function withoutSecrets(params: JsonObject, redact: ResponderOptions['redact']): JsonObject {
  if (!redact) return params;
  const { url } = params;
  return { ...(redactValue(params, redact) as JsonObject), ...(url !== undefined && { url }) };
}
