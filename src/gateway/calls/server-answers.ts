import type { JsonObject } from '../../base/json.js';
import type { Answered, TypedOptions } from '../../host/answered.js';
import type { Caller } from '../../model/caller.js';
import type { Client, ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import type { PermissionAsker } from './ask-client.js';
import { nameAskerInError } from './named-questions.js';
import { relayedQuestions } from './relayed-questions.js';
import { pagesOf } from './required-pages.js';
import { metaOf } from './tool-call.js';
import { toServerFailure, toRpcFailure } from './failures.js';
import { askerOf } from './permits.js';
import { servedProgress } from './served-progress.js';
import { UrlVisits } from './url-visits.js';

/** What all requests other than calls of tools are made with. */
export interface AskedOptions extends TypedOptions {
  readonly caller: Caller;
  readonly ask: PermissionAsker | undefined;
}

/** `ended`: to be called when the request is over. */
export function toAsked(
  { callers, askSetting, clock, clean }: CallParts,
  request: ClientRequest,
  name: string,
): { readonly asked: AskedOptions; readonly ended: () => void } {
  const { client, inputs, relays, signal, logLevel, params } = request;
  const visits = new UrlVisits(request, clock);
  const asked = {
    caller: callers.call(request, visits),
    conversation: client.owner,
    signal,
    onProgress: servedProgress(request, clean()),
    logLevel,
    meta: metaOf(params),
    relay: relays ? (inputs ?? {}) : undefined,
    ask: askerOf(request, name, askSetting()),
    keepServerResult: true,
    isTyped: false,
    isInMemory: true,
  };
  return { asked, ended: () => visits.ended() };
}

/** The server's own answer, without hidden characters; ours where a hook has changed it. Throws a JsonRpcFailure. */
export function servedAnswer<Answer extends object>(
  parts: CallParts,
  answered: Answered<Answer>,
  {
    client,
    server,
    own,
    ours,
  }: {
    readonly client: Client;
    readonly server: string;
    readonly own: (result: JsonObject) => JsonObject;
    readonly ours: (answer: Answer) => JsonObject;
  },
): JsonObject {
  const { serverResult, changedByHook } = answered;
  const clean = parts.clean();
  if (changedByHook !== true && serverResult?.error) {
    const error = nameAskerInError(serverResult.error, server, parts.offering);
    pagesOf(error, { server, clean });
    throw toServerFailure(parts.callers.withOwnPages(client, server, error), { server, clean });
  }
  if (!answered.ok) throw toRpcFailure(answered.error, 'error');
  const { result } = serverResult ?? {};
  if (changedByHook === true || !result) return ours(answered);
  if (result['resultType'] !== 'input_required') return own(clean(result));
  return relayedQuestions(result, { server, offering: parts.offering, clean });
}
