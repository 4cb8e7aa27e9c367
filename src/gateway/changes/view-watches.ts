import type { EndpointChange, Client, Watch, WatchedChanges } from '../../serving/endpoint.js';
import type { CallParts } from '../calls/call-parts.js';
import type { BuiltList } from '../lists/built-list.js';
import type { ServedListName, ServedLists } from '../lists/served-lists.js';
import { ResourceWatches } from './resource-watches.js';
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
  #isDue = false;

  constructor(options: ViewWatchesOptions) {
    this.#options = options;
  }

  watch(client: Client, wanted: WatchedChanges, tell: (change: EndpointChange) => void): Watch {
    const { parts, lists, attend } = this.#options;
    const watch: ClientWatch = new ClientWatch({
      wanted,
      known: namesOf(wanted).map((name) => lists.list(name)),
      tell,
      // Most clients watch lists alone.
      uris: wanted.uris.length > 0 ? new ResourceWatches({ parts, client, uris: wanted.uris, tell }) : undefined,
      tasks: wanted.tasks.length > 0 ? new TaskWatches({ parts, client, ids: wanted.tasks, tell }) : undefined,
      attending: attend(client.owner),
      watching: this.#watching,
    });
    if (watch.known.length > 0) this.#watching.add(watch);
    return watch;
  }

  /** Lists may have changed: looked at when things are quiet. */
  changed(): void {
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
      for (const [at, name] of namesOf(watch.wanted).entries())
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

interface ClientWatchParts {
  readonly wanted: WatchedChanges;
  /** The lists that the client is taken to know, in the order of `namesOf`. */
  readonly known: Promise<BuiltList>[];
  readonly tell: (change: EndpointChange) => void;
  readonly uris: ResourceWatches | undefined;
  readonly tasks: TaskWatches | undefined;
  readonly attending: Disposable;
  /** All watches of the address. */
  readonly watching: Set<ClientWatch>;
}

/** What one client watches. There is one for each open stream: it keeps no closure. */
class ClientWatch implements Watch {
  readonly wanted: WatchedChanges;
  readonly known: Promise<BuiltList>[];
  readonly tell: (change: EndpointChange) => void;
  readonly #uris: ResourceWatches | undefined;
  readonly #tasks: TaskWatches | undefined;
  readonly #attending: Disposable;
  readonly #watching: Set<ClientWatch>;

  constructor({ wanted, known, tell, uris, tasks, attending, watching }: ClientWatchParts) {
    this.wanted = wanted;
    this.known = known;
    this.tell = tell;
    this.#uris = uris;
    this.#tasks = tasks;
    this.#attending = attending;
    this.#watching = watching;
  }

  get honoured(): Promise<WatchedChanges> {
    return this.#honoured();
  }

  async #honoured(): Promise<WatchedChanges> {
    const { tools, prompts, resources } = this.wanted;
    const uris = (await this.#uris?.watched) ?? [];
    return { tools, prompts, resources, uris, tasks: this.#tasks?.watched ?? [] };
  }

  [Symbol.dispose](): void {
    this.#watching.delete(this);
    this.#uris?.[Symbol.dispose]();
    this.#tasks?.[Symbol.dispose]();
    this.#attending[Symbol.dispose]();
  }
}

function namesOf(wanted: WatchedChanges): ServedListName[] {
  return LISTS.filter(([kind]) => wanted[kind]).flatMap(([, names]) => names);
}

const LISTS: readonly (readonly [kind: 'tools' | 'prompts' | 'resources', lists: readonly ServedListName[]])[] = [
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
