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
  readonly #watching = new Set<Watching>();
  readonly #shared: SharedWatches;
  #isDue = false;

  constructor(options: ViewWatchesOptions) {
    this.#options = options;
    this.#shared = new SharedWatches(options.parts);
  }

  watch(client: Client, wanted: WatchedChanges, tell: (change: EndpointChange) => void): Watch {
    const { parts, lists, attend } = this.#options;
    const attending = attend(client.owner);
    // What is not declared does not change.
    const isServed = (kind: ListKind): boolean =>
      wanted[kind] && servesMethod(parts.offering, kind === 'resources' ? 'resources/read' : `${kind}/list`);
    const names = LISTS.filter(([kind]) => isServed(kind)).flatMap(([, own]) => own);
    const watching: Watching = { known: new Map(names.map((name) => [name, lists.list(name)])), tell };
    const uris = new ResourceWatches({ parts, shared: this.#shared, client, uris: wanted.uris, tell });
    const tasks = new TaskWatches({ parts, client, ids: wanted.tasks, tell });
    if (names.length > 0) this.#watching.add(watching);
    return {
      honoured: uris.watched.then((watched) => ({
        tools: isServed('tools'),
        prompts: isServed('prompts'),
        resources: isServed('resources'),
        uris: watched,
        tasks: tasks.watched,
      })),
      add: (uri) => uris.add(uri),
      remove: (uri) => uris.remove(uri),
      [Symbol.dispose]: () => {
        this.#watching.delete(watching);
        uris[Symbol.dispose]();
        tasks[Symbol.dispose]();
        attending[Symbol.dispose]();
      },
    };
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
    for (const watching of this.#watching) {
      const changed = new Set<string>();
      for (const name of watching.known.keys()) if (await this.#isOther(watching, name)) changed.add(METHODS[name]);
      // It may have ended while the lists were made.
      if (this.#watching.has(watching)) for (const method of changed) watching.tell({ method, params: {} });
    }
  }

  async #isOther({ known }: Watching, name: ServedListName): Promise<boolean> {
    const before = known.get(name);
    const now = this.#options.lists.list(name);
    known.set(name, now);
    try {
      return (await before) !== (await now);
    } catch {
      return false; // the list could not be made: the next change looks again
    }
  }
}

interface Watching {
  /** The lists that the client is taken to know. */
  readonly known: Map<ServedListName, Promise<BuiltList>>;
  readonly tell: (change: EndpointChange) => void;
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
