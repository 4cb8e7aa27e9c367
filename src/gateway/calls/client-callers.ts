import { isObject, type JsonObject } from '../../base/json.js';
import { Lru } from '../../base/collections/lru.js';
import type { Caller, CallerLog, CallerQuestion, CallerTask } from '../../model/caller.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { ServerError } from '../../model/server-result.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import type { Client, ClientRequest, Question } from '../../serving/endpoint.js';
import type { Clean } from '../clean.js';
import type { Offering } from '../offering.js';
import { ClientRoots } from './client-roots.js';
import { nameAsker, URL_REQUIRED } from './named-questions.js';
import { SAMPLING, samplingDenied } from './relayed-questions.js';
import { refusePage } from './shown-pages.js';
import type { UrlVisits } from './url-visits.js';

export interface ClientCallersOptions {
  readonly clean: () => Clean;
  readonly offering: Pick<Offering, 'offers' | 'only'>;
  /** A server has said how a task is. Contract: must not throw. */
  readonly onTaskStatus: (told: ToldTask) => void;
}

/** How a task is, as its server says. */
export interface ToldTask {
  readonly server: string;
  /** Whose call it was made for. */
  readonly owner: string;
  readonly task: CallerTask;
}

/**
 * The callers that servers see of the clients of one address: one for each client, and one for each of its calls, so
 * that a server's question comes back on the very request that it belongs to.
 */
export class ClientCallers {
  readonly #known = new WeakMap<Client, KnownClient>();
  readonly #clean: () => Clean;
  readonly #offering: Pick<Offering, 'offers' | 'only'>;
  readonly #onTaskStatus: (told: ToldTask) => void;

  constructor({ clean, offering, onTaskStatus }: ClientCallersOptions) {
    this.#clean = clean;
    this.#offering = offering;
    this.#onTaskStatus = onTaskStatus;
  }

  /** The client itself: for what belongs to no call of it that is known. */
  group(client: Client): Caller {
    return this.#of(client).group;
  }

  /** One call of a client. `visits`: the pages that the call sends its user to. */
  call(request: CallingRequest, visits: UrlVisits): Caller {
    const known = this.#of(request.client);
    const { group } = known;
    const { principal, client, lane, capabilities, roots } = group;
    return {
      group,
      principal,
      client,
      lane,
      capabilities,
      roots,
      answer: (method, params, { server, signal }) =>
        this.#answer(known, { method, params, server, signal }, (question) =>
          visits.answer(question, { server, signal, pages: known.pages }),
        ),
      isVisiting: (method, params) => visits.isVisiting({ method, params: this.#clean()(params) }),
      ...(request.logLevel !== undefined && {
        onLog: (message) => request.log(toLog(message, this.#clean())),
      }),
    };
  }

  /** An error of a server that wants pages visited, with ids of ours: servers choose theirs without knowing of each other. */
  withOwnPages(client: Client, server: string, error: ServerError): ServerError {
    const { code, data } = error;
    if (code !== URL_REQUIRED || !isObject(data) || !Array.isArray(data['elicitations'])) return error;
    const { pages } = this.#of(client);
    const elicitations = data['elicitations'].map((page: unknown) => {
      if (!isObject(page) || typeof page['elicitationId'] !== 'string') return page;
      const id = randomUUID();
      pages.set(toPageKey(server, page['elicitationId'].slice(0, PAGE_ID_LIMIT)), id);
      return { ...page, elicitationId: id };
    });
    return { ...error, data: { ...data, elicitations } };
  }

  /** The client's roots have changed: the next server that asks is given the new ones. */
  rootsChanged(client: Client): void {
    this.#known.get(client)?.roots.changed();
  }

  #of(client: Client): KnownClient {
    const known = this.#known.get(client) ?? this.#make(client);
    this.#known.set(client, known);
    return known;
  }

  #make(client: Client): KnownClient {
    const { principal, info, owner } = client;
    const pages = new Lru<string>({ count: PAGES, size: Infinity });
    const known: KnownClient = {
      pages,
      roots: new ClientRoots(client),
      group: {
        principal,
        client: info,
        lane: owner,
        mayBeSeveral: !client.isDistinct,
        capabilities: toCapabilities(client),
        // A legacy client gets the result in any case; a modern one has said whether it wants tasks.
        waitsForTasks: client.era === 'modern' ? false : undefined,
        roots: [],
        get logLevel() {
          return client.logLevel;
        },
        answer: (method, params, { server, signal }) =>
          this.#answer(known, { method, params, server, signal }, (question) => client.ask(question, signal)),
        onLog: (message) => client.notify('notifications/message', { ...toLog(message, this.#clean()) }),
        onElicitationComplete: ({ server, elicitationId }) => {
          const id = pages.get(toPageKey(server, elicitationId));
          if (id !== undefined) client.notify('notifications/elicitation/complete', { elicitationId: id });
        },
        onTaskStatus: (told) => this.#onTaskStatus({ ...told, owner }),
      },
    };
    return known;
  }

  #answer(
    { roots }: KnownClient,
    { method, params, server, signal }: { method: string; params: JsonObject } & CallerQuestion,
    ask: (question: Question) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    if (!QUESTIONS.has(method)) throw new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found');
    if (method === SAMPLING && !this.#offering.offers.maySample(server)) throw samplingDenied();
    refusePage(server, { method, params });
    const question = nameAsker({ method, params: this.#clean()(params) }, server, this.#offering);
    return method === 'roots/list' ? roots.get(() => ask(question), signal) : ask(question);
  }
}

/** What is needed of a request to ask its client. */
export type CallingRequest = Pick<ClientRequest, 'client' | 'ask' | 'log' | 'logLevel'>;

interface KnownClient {
  readonly group: Caller;
  readonly roots: ClientRoots;
  /** The ids of pages that the client was sent to, by server and the server's id. */
  readonly pages: Lru<string>;
}

/** Servers choose ids for pages without knowing of each other. */
export function toPageKey(server: string, id: string): string {
  return JSON.stringify([server, id]);
}

/** What a client declares, as servers are told: only what can reach it through a gateway. */
function toCapabilities({ capabilities, revision }: Client): JsonObject {
  const { roots, sampling, elicitation, extensions } = capabilities;
  return {
    // Servers are not told of changes: a server that wants the roots asks, and is given those of now.
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

const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', SAMPLING, 'roots/list']);
const URL_REVISION = '2025-11-25';
const METHOD_NOT_FOUND = -32601;
const PAGES = 1_000;
const PAGE_ID_LIMIT = 1_000; // characters
