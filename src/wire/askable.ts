import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';
import type { RequestHandler, ResponderOptions } from './inbound.js';

/** What a server may ask a client for, and the capability by which a client says that it can be. */
const ASKABLE: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

export function isAskable(method: string): boolean {
  return ASKABLE.has(method);
}

/** Down to the mode: who has declared forms has not said that it opens URLs. */
export function isDeclared(method: string, params: unknown, capabilities: Caller['capabilities']): boolean {
  const name = ASKABLE.get(method);
  const capability = name === undefined ? undefined : capabilities[name];
  if (!isObject(capability)) return false;
  const { mode, tools } = isObject(params) ? params : ({} as JsonObject);
  if (method === 'elicitation/create' && mode === 'url') return isObject(capability['url']);
  if (method === 'elicitation/create') return isObject(capability['form']) || !('url' in capability);
  return method !== 'sampling/createMessage' || tools === undefined || isObject(capability['tools']);
}

/** How the caller answers that a connection was opened for; a connection of nobody answers nothing. */
export function openersHandlers(
  { handlers, opener }: ResponderOptions,
  server: string,
): Readonly<Record<string, RequestHandler>> {
  return handlers ?? (opener ? handlersOf(opener, server) : {});
}

/** How the questions of this server reach one caller. */
export function handlersOf(caller: Caller, server: string): Readonly<Record<string, RequestHandler>> {
  return Object.fromEntries(
    Array.from(ASKABLE.keys(), (method): [string, RequestHandler] => [
      method,
      (params, { signal }) => caller.answer(method, params, { server, signal }),
    ]),
  );
}
