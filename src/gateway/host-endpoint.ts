import type { JsonObject } from '../base/json.js';
import type { Clock } from '../model/clock.js';
import type {
  EndpointChange,
  Client,
  ClientRequest,
  Endpoint,
  EndpointDescription,
  Served,
  SerializedResult,
  Watch,
  WatchedChanges,
} from '../serving/endpoint.js';
import { methodNotFound } from '../serving/outgoing.js';
import type { CallParts } from './calls/call-parts.js';
import { callForClient } from './calls/tool-call.js';
import { ClientCallers } from './calls/client-callers.js';
import { completionForClient } from './calls/completion-request.js';
import { invalidParams } from './calls/failures.js';
import { skillInfoForClient } from './calls/skill-request.js';
import { ClientTasks } from './tasks/client-tasks.js';
import type { LiveTasks } from './tasks/live-tasks.js';
import { promptForClient } from './calls/prompt-request.js';
import type { AskSetting } from './calls/permits.js';
import { resourceForClient } from './calls/resource-request.js';
import { ServedUris } from './calls/served-uris.js';
import type { Clean } from './clean.js';
import { describeOffering, servesMethod } from './describe.js';
import type { ToolListing } from './endpoint-address.js';
import type { Arrivals } from './lists/arrivals.js';
import { MarkedTools } from './lists/marked-tools.js';
import { LISTS, type ServedListName, ServedLists } from './lists/served-lists.js';
import { Tables } from './lists/tables.js';
import type { Offering } from './offering.js';
import { ToolSearch } from './search/tool-search.js';
import { ViewWatches } from './changes/view-watches.js';

/** What a gateway seals: cursors and ids of tasks, which hold on every instance that has the same secret. */
export interface GatewaySeals {
  /** Contract: the same text for the same value. */
  sealStable(purpose: 'cursor' | 'task', value: JsonObject): string;
  /** Undefined for what was not sealed. */
  open(purpose: 'cursor' | 'task', text: string): JsonObject | undefined;
}

export interface HostEndpointOptions {
  readonly offering: Offering;
  readonly naming: 'prefixed' | 'plain';
  readonly tools: ToolListing;
  readonly arrivals: Arrivals;
  readonly askSetting: () => AskSetting;
  readonly clock: Clock;
  readonly clean: () => Clean;
  readonly seals: GatewaySeals;
  readonly liveTasks: LiveTasks;
  /** Connections of this owner stay open until the result is disposed of. */
  readonly attend: (owner: string) => Disposable;
  /** Connections of this owner can be closed. */
  readonly onLeft: (owner: string) => void;
}

/** One address of the gateway, for one principal: lists and calls of the servers of a host. */
export class HostEndpoint implements Endpoint {
  readonly #options: HostEndpointOptions;
  readonly #parts: CallParts;
  readonly #lists: ServedLists;
  readonly #search: ToolSearch;
  readonly #marked: MarkedTools;
  readonly #watches: ViewWatches;

  constructor(options: HostEndpointOptions) {
    this.#options = options;
    const { offering, naming, arrivals, askSetting, clock, clean, seals } = options;
    const tables = new Tables(offering, naming);
    const { liveTasks } = options;
    const callers = new ClientCallers({ clean, offering, onTaskStatus: (told) => liveTasks.tell(told, clean()) });
    const uris = (server: string): ServedUris => new ServedUris(tables, server);
    const parts = { offering, tables, arrivals, callers, askSetting, clock, clean, uris };
    this.#parts = { ...parts, tasks: new ClientTasks({ parts, seals, live: liveTasks }) };
    this.#search = new ToolSearch(this.#parts, options.tools);
    this.#lists = new ServedLists({
      offering,
      tables,
      clean,
      cursorAfter: (list, key) => seals.sealStable('cursor', { list, key }),
      arrange: (items, isAlways) => this.#search.arrange(items, isAlways),
    });
    this.#marked = new MarkedTools({ offering, tables, arrivals, clean });
    this.#watches = new ViewWatches({ parts: this.#parts, lists: this.#lists, attend: options.attend });
  }

  async describe(_client: Client): Promise<EndpointDescription> {
    const { offering, arrivals } = this.#options;
    // A client is told once: instructions that come later never reach it.
    await arrivals.known(offering.servers());
    return describeOffering(offering);
  }

  async request(request: ClientRequest): Promise<Served> {
    const { method } = request;
    switch (method) {
      case 'tools/call':
        return this.#search.isCall(request)
          ? this.#search.call(request, () => this.#lists.list('tools'))
          : callForClient(this.#parts, request);
      case 'prompts/get':
        return promptForClient(this.#parts, request);
      case 'resources/read':
        return resourceForClient(this.#parts, request);
      case 'completion/complete':
        return completionForClient(this.#parts, request);
      case 'skills/get':
      case 'resources/directory/read':
        return skillInfoForClient(this.#parts, request, method);
      case 'tasks/get':
        return this.#parts.tasks.get(request);
      case 'tasks/result':
        return this.#parts.tasks.result(request);
      case 'tasks/update':
        return this.#parts.tasks.update(request);
      case 'tasks/cancel':
        return this.#parts.tasks.cancel(request);
      default: {
        const list = LIST_NAMES.find((name) => LISTS[name].method === method);
        if (list === undefined) throw methodNotFound(method.slice(0, 100));
        return this.#list(list, request);
      }
    }
  }

  watch(client: Client, wanted: WatchedChanges, tell: (change: EndpointChange) => void): Watch {
    return this.#watches.watch(client, wanted, tell);
  }

  serves(method: string): boolean {
    return servesMethod(this.#options.offering, method);
  }

  mirrored(tool: string): ReturnType<Endpoint['mirrored']> {
    return this.#marked.of(tool);
  }

  mayRepeat(method: string, params: JsonObject): boolean {
    if (method !== 'tools/call') return true;
    const tool = this.#search.toolOf(params);
    return tool !== undefined && (tool.hints.readOnly || tool.hints.idempotent);
  }

  rootsChanged(client: Client): void {
    this.#parts.callers.rootsChanged(client);
  }

  left({ owner }: Client): void {
    this.#options.onLeft(owner);
  }

  /** Servers, rules or pins may have changed. */
  changed(): void {
    this.#lists.changed();
    this.#watches.changed();
  }

  async #list(list: ServedListName, { params, client }: ClientRequest): Promise<SerializedResult> {
    const { cursor } = params;
    const after = cursor === undefined ? undefined : this.#keyOf(list, cursor);
    const { offering, arrivals } = this.#options;
    await arrivals.known(offering.servers());
    const { method } = LISTS[list];
    if (!this.serves(method)) throw methodNotFound(method);
    return (await this.#lists.list(list)).page(after, client.revision);
  }

  #keyOf(list: ServedListName, cursor: unknown): string {
    const opened = typeof cursor === 'string' ? this.#options.seals.open('cursor', cursor) : undefined;
    const key = opened?.['key'];
    if (typeof key === 'string' && opened?.['list'] === list) return key;
    throw invalidParams('The cursor is not one of this list');
  }
}

const LIST_NAMES = Object.keys(LISTS) as ServedListName[];
