import type { EndpointChange, Client, Watch, WatchedChanges } from '../../serving/endpoint.js';
import { servesMethod } from '../describe.js';
import type { CallParts } from '../calls/call-parts.js';
import type { BuiltList } from '../lists/built-list.js';
import type { ServedListName, ServedLists } from '../lists/served-lists.js';
import { ResourceWatches } from './resource-watches.js';
import { SharedWatches } from './shared-watches.js';
import { TaskWatches } from './task-watches.js';

export interface ViewWatchesOptions {
  readonly parts: CallParts;
  readonly lists: ServedLists;
  /** Connections of this owner stay open until the result is disposed of. */
  readonly attend: (owner: string) => Disposable;
}

/**
 * Tells clients of one address when a list is another one than they know. Changes that come together are told once, and
 * a change that leaves the list as it is not at all.
 */
export class ViewWatches {
  readonly #options: ViewWatchesOptions;
  readonly #watching = new Set<ClientWatch>();
  readonly #shared: SharedWatches;
  #isDue = false;

  constructor(options: ViewWatchesOptions) {
    this.#options = options;
    this.#shared = new SharedWatches(options.parts);
  }

  watch(client: Client, wanted: WatchedChanges, tell: (change: EndpointChange) => void): Watch {
    const { parts, lists, attend } = this.#options;
    // What is not declared does not change.
    const isServed = (kind: ListKind): boolean =>
      wanted[kind] && servesMethod(parts.offering, kind === 'resources' ? 'resources/read' : `${kind}/list`);
    const served = { tools: isServed('tools'), prompts: isServed('prompts'), resources: isServed('resources') };
    const watch: ClientWatch = new ClientWatch({
      all: this,
      client,
      served,
      known: namesOf(served).map((name) => lists.list(name)),
      tell,
      // Most clients watch lists alone.
      resources: wanted.uris.length > 0 ? this.watchResources(client, wanted.uris, tell) : undefined,
      tasks: wanted.tasks.length > 0 ? new TaskWatches({ parts, client, ids: wanted.tasks, tell }) : undefined,
      attending: attend(client.owner),
    });
    if (watch.known.length > 0) this.#watching.add(watch);
    return watch;
  }

  /** For a watch alone. */
  watchResources(client: Client, uris: readonly string[], tell: (change: EndpointChange) => void): ResourceWatches {
    return new ResourceWatches({ parts: this.#options.parts, shared: this.#shared, client, uris, tell });
  }

  /** For a watch alone. */
  ended(watch: ClientWatch): void {
    this.#watching.delete(watch);
  }

  /** Lists may have changed: looked at when things are quiet. */
  changed(): void {
    this.#shared.changed();
    if (this.#isDue || this.#watching.size === 0) return;
    this.#isDue = true;
    this.#options.parts.clock.after(QUIET_MS, () => {
      this.#isDue = false;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    for (const watch of this.#watching) {
      const changed = new Set<string>();
      for (const [at, name] of namesOf(watch.served).entries())
        if (await this.#isOther(watch, at, name)) changed.add(METHODS[name]);
      // It may have ended while the lists were made.
      if (this.#watching.has(watch)) for (const method of changed) watch.tell({ method, params: {} });
    }
  }

  async #isOther({ known }: ClientWatch, at: number, name: ServedListName): Promise<boolean> {
    const before = known[at];
    const now = this.#options.lists.list(name);
    known[at] = now;
    try {
      return (await before) !== (await now);
    } catch {
      return false; // the list could not be made: the next change looks again
    }
  }
}

type WatchedLists = Pick<WatchedChanges, ListKind>;

interface ClientWatchParts {
  readonly all: ViewWatches;
  readonly client: Client;
  readonly served: WatchedLists;
  /** The lists that the client is taken to know, in the order of `namesOf`. */
  readonly known: Promise<BuiltList>[];
  readonly tell: (change: EndpointChange) => void;
  readonly resources: ResourceWatches | undefined;
  readonly tasks: TaskWatches | undefined;
  readonly attending: Disposable;
}

/** What one client watches. There is one for each open stream: it keeps no closure. */
class ClientWatch implements Watch {
  readonly #parts: ClientWatchParts;
  #resources: ResourceWatches | undefined;

  constructor(parts: ClientWatchParts) {
    this.#parts = parts;
    this.#resources = parts.resources;
  }

  get served(): WatchedLists {
    return this.#parts.served;
  }

  get known(): Promise<BuiltList>[] {
    return this.#parts.known;
  }

  get honoured(): Promise<WatchedChanges> {
    return this.#honoured();
  }

  tell(change: EndpointChange): void {
    this.#parts.tell(change);
  }

  async add(uri: string): Promise<void> {
    const { all, client, tell } = this.#parts;
    await (this.#resources ??= all.watchResources(client, [], tell)).add(uri);
  }

  remove(uri: string): void {
    this.#resources?.remove(uri);
  }

  [Symbol.dispose](): void {
    const { all, tasks, attending } = this.#parts;
    all.ended(this);
    this.#resources?.[Symbol.dispose]();
    tasks?.[Symbol.dispose]();
    attending[Symbol.dispose]();
  }

  async #honoured(): Promise<WatchedChanges> {
    const { served, tasks } = this.#parts;
    const uris = (await this.#resources?.watched) ?? [];
    return { ...served, uris, tasks: tasks?.watched ?? [] };
  }
}

function namesOf(served: WatchedLists): ServedListName[] {
  return LISTS.filter(([kind]) => served[kind]).flatMap(([, names]) => names);
}

type ListKind = 'tools' | 'prompts' | 'resources';

const LISTS: readonly (readonly [kind: ListKind, lists: readonly ServedListName[]])[] = [
  ['tools', ['tools']],
  ['prompts', ['prompts']],
  ['resources', ['resources', 'templates', 'skills']],
];
const METHODS: Readonly<Record<ServedListName, string>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  templates: 'notifications/resources/list_changed',
  skills: 'notifications/resources/list_changed',
};
const QUIET_MS = 250;
