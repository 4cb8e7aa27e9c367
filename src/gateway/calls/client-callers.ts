import { isObject, type JsonObject } from '../../base/json.js';
import type { Caller, CallerLog } from '../../model/caller.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { Client, ClientRequest, Question } from '../../serving/endpoint.js';
import type { Clean } from '../clean.js';
import type { UrlVisits } from './url-visits.js';

/**
 * The callers that servers see of the clients of one address: one for each client, and one for each of its calls, so
 * that a server's question comes back on the very request that it belongs to.
 */
export class ClientCallers {
  readonly #groups = new WeakMap<Client, Caller>();
  readonly #clean: () => Clean;

  constructor(clean: () => Clean) {
    this.#clean = clean;
  }

  /** The client itself: for what belongs to no call of it that is known. */
  group(client: Client): Caller {
    const known = this.#groups.get(client);
    if (known) return known;
    const { principal, info, owner } = client;
    const capabilities = toCapabilities(client);
    const group: Caller = {
      principal,
      client: info,
      lane: owner,
      capabilities,
      roots: [],
      answer: (method, params, { signal }) => client.ask(this.#toQuestion(method, params), signal),
      onLog: (message) => {
        if (client.logLevel !== undefined && client.isReachable)
          client.notify('notifications/message', toLog(message, this.#clean()));
      },
    };
    this.#groups.set(client, group);
    return group;
  }

  /** One call of a client. `visits`: the pages that the call has sent its user to. */
  call(request: ClientRequest, visits: UrlVisits): Caller {
    const group = this.group(request.client);
    const { principal, client, lane, capabilities, roots } = group;
    return {
      group,
      principal,
      client,
      lane,
      capabilities,
      roots,
      answer: (method, params, { signal }) => visits.answer(this.#toQuestion(method, params), signal),
      ...(request.logLevel !== undefined && {
        onLog: (message) => request.log(toLog(message, this.#clean())),
      }),
    };
  }

  #toQuestion(method: string, params: JsonObject): Question {
    if (!QUESTIONS.has(method)) throw new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found');
    return { method, params: this.#clean()(params) };
  }
}

/** What a client declares, as servers are told: only what can reach it through a gateway. */
function toCapabilities({ capabilities, revision }: Client): JsonObject {
  const { roots, sampling, elicitation, extensions } = capabilities;
  return {
    // Its roots are read whenever a server asks, so that no server is told of changes.
    ...(isObject(roots) && { roots: {} }),
    ...(isObject(sampling) && { sampling }),
    ...(isObject(elicitation) && { elicitation: toElicitation(elicitation, revision) }),
    ...(isObject(extensions) && { extensions }),
  };
}

/** An empty object has meant forms from the beginning; pages came with 2025-11-25. */
function toElicitation({ form, url }: JsonObject, revision: string): JsonObject {
  const hasUrl = isObject(url) && revision >= URL_REVISION;
  return {
    ...((isObject(form) || !isObject(url)) && { form: isObject(form) ? form : {} }),
    ...(hasUrl && { url }),
  };
}

function toLog({ level, logger, data }: CallerLog, clean: Clean): { level: string; logger?: string; data: unknown } {
  return clean({ level, ...(logger !== undefined && { logger }), data });
}

const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const URL_REVISION = '2025-11-25';
const METHOD_NOT_FOUND = -32601;
