import { unreachable } from '../../base/never.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { TimeSlice } from '../../edge/time-slice.js';
import type { Server } from '../../host/servers/server.js';
import { isModernRevision } from '../../serving/revision/revisions.js';
import type { Clean } from '../clean.js';
import type { Offering } from '../offering.js';
import { ServedUris } from '../calls/served-uris.js';
import { offersTasks } from '../tasks/client-tasks.js';
import { BuiltList } from './built-list.js';
import { ListBlock, type ListedItem } from './list-block.js';
import type { Tables } from './tables.js';
import { titled, toServedTool } from './tool-items.js';

/** The lists that clients ask for. */
export type ServedListName = 'tools' | 'prompts' | 'resources' | 'templates' | 'skills';

export const LISTS: Readonly<Record<ServedListName, { readonly method: string; readonly field: string }>> = {
  tools: { method: 'tools/list', field: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts' },
  resources: { method: 'resources/list', field: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates' },
  skills: { method: 'skills/list', field: 'skills' },
};

export interface ServedListsOptions {
  readonly offering: Offering;
  readonly tables: Tables;
  readonly clean: () => Clean;
  readonly cursorAfter: (list: ServedListName, key: string) => string;
  /** What is listed in place of all these tools; the same items where all are to be listed. */
  readonly arrange: (items: readonly ListedItem[], isAlways: (key: string) => boolean) => readonly ListedItem[];
}

/** The lists of one address, made when a client asks and kept until servers, rules or pins change. */
export class ServedLists {
  readonly #options: ServedListsOptions;
  readonly #blocks = new Map<string, ListBlock>();
  readonly #built = new Map<ServedListName, { readonly version: number; readonly list: Promise<BuiltList> }>();
  readonly #last = new Map<ServedListName, BuiltList>();
  /** The arguments that clients over HTTP have to repeat in headers, by tool. */
  /** Grows whenever what is listed may have changed. */
  #version = 0;

  constructor(options: ServedListsOptions) {
    this.#options = options;
  }

  /** Servers, rules or pins may have changed: lists are made again when they are asked for. */
  changed(): void {
    this.#version++;
  }

  /** The current list. The same object until its items are others. */
  list(name: ServedListName): Promise<BuiltList> {
    for (const { catalog } of this.#options.offering.servers()) catalog.refreshStale();
    const version = this.#version;
    const known = this.#built.get(name);
    if (known?.version === version) return known.list;
    // One after the other: the blocks are not to be written by two.
    const before = known?.list.catch(() => undefined);
    const list = this.#make(name, before);
    this.#built.set(name, { version, list });
    return list;
  }

  async #make(name: ServedListName, before: Promise<unknown> | undefined): Promise<BuiltList> {
    await before;
    const { cursorAfter } = this.#options;
    const items = await this.#items(name);
    const made = new BuiltList(items, {
      ...LISTS[name],
      cursorAfter: (key) => cursorAfter(name, key),
      ttlMs: this.#ttlMs(name),
    });
    const last = this.#last.get(name);
    if (last?.isSame(made) === true) return last;
    this.#last.set(name, made);
    return made;
  }

  #items(name: ServedListName): Promise<readonly ListedItem[]> {
    switch (name) {
      case 'tools':
        return this.#tools();
      case 'prompts':
        return this.#prompts();
      case 'resources':
      case 'templates':
        return this.#resources(name);
      case 'skills':
        return this.#skills();
      default:
        return unreachable(name);
    }
  }

  async #tools(): Promise<readonly ListedItem[]> {
    const { offering, tables, arrange } = this.#options;
    const { offers } = offering;
    const clean = this.#options.clean();
    const servers = new Map(offering.servers().map((server) => [server.name, server]));
    const { uris } = tables;
    const marks = new Map(
      Array.from(servers, ([name, server]) => [name, [server.toolList.toolColumns, clean, hasPages(server) && uris]]),
    );
    const makers = new Set(
      Array.from(servers.values())
        .filter(offersTasks)
        .map(({ name }) => name),
    );
    const found = this.#collect('tools');
    const always = new Set<string>();
    for (const [name, tool] of tables.tools.entries) {
      const mark = marks.get(tool.server);
      if (!mark || !offers.isListed(tool)) continue;
      const toUri = (uri: string): string => uris.toClient(tool.server, uri);
      await found.add(tool.server, { key: name, marks: mark }, () =>
        toServedTool(tool, {
          name,
          isTitled: offering.only === undefined,
          isMaker: makers.has(tool.server),
          clean,
          toUri,
        }),
      );
      if (tool.load === 'always') always.add(name);
    }
    return arrange(found.end(), (key) => always.has(key));
  }

  async #prompts(): Promise<readonly ListedItem[]> {
    const { offering, tables } = this.#options;
    const { offers } = offering;
    const clean = this.#options.clean();
    const found = this.#collect('prompts');
    for (const [name, { server, tool, owner }] of tables.prompts.entries) {
      if (!offers.isOpen('prompts', server) || offers.promptFault(server, tool) !== undefined) continue;
      await found.add(server, { key: name, marks: [owner.catalog.prompts, clean] }, async () => {
        const own = (await owner.catalog.serverDefinition('prompts', tool))?.item;
        if (!own) return undefined;
        const item = { ...clean(own), name };
        return offering.only === undefined ? { ...item, title: titled(server, item, tool) } : item;
      });
    }
    return found.end();
  }

  async #resources(name: 'resources' | 'templates'): Promise<readonly ListedItem[]> {
    const { offering, tables } = this.#options;
    const clean = this.#options.clean();
    const { uris } = tables;
    const isSingle = offering.only !== undefined;
    const found = this.#collect(name);
    const field = name === 'resources' ? 'uri' : 'uriTemplate';
    for (const server of offering.servers()) {
      if (!offering.offers.isOpen('resources', server.name)) continue;
      const list = server.catalog[name];
      const marks = [list, clean];
      for (const { uri } of list) {
        const served = name === 'resources' ? uris.toClient(server.name, uri) : uris.toClientTemplate(server.name, uri);
        const key = isSingle ? uri : served;
        await found.add(server.name, { key, marks }, async () => {
          const own = (await server.catalog.serverDefinition(name, uri))?.item;
          if (!own) return undefined;
          const item = { ...clean(own), [field]: key };
          return isSingle ? item : { ...item, title: titled(server.name, item, textOf(own['name']) ?? key) };
        });
      }
    }
    return found.end();
  }

  async #skills(): Promise<readonly ListedItem[]> {
    const { offering, tables } = this.#options;
    const clean = this.#options.clean();
    const found = this.#collect('skills');
    for (const server of offering.servers()) {
      if (!offering.offers.isOpen('resources', server.name)) continue;
      const { skills } = server.catalog;
      const uris = new ServedUris(tables, server.name);
      for (const { uri } of skills) {
        const key = offering.only === undefined ? tables.uris.toClient(server.name, uri) : uri;
        await found.add(server.name, { key, marks: [skills, clean, tables.uris] }, async () => {
          const own = await server.catalog.serverDefinition('skills', uri);
          // Without its files a skill cannot be checked by those who use it.
          return own?.isComplete === true ? uris.inSkill(clean(own.item)) : undefined;
        });
      }
    }
    return found.end();
  }

  #collect(list: ServedListName): Collected {
    return new Collected((server) => {
      const key = `${list} ${server}`;
      const block = this.#blocks.get(key) ?? new ListBlock();
      this.#blocks.set(key, block);
      return block;
    });
  }

  /** How long clients may keep a list: no longer than any server says, or than a silent one can be trusted. */
  #ttlMs(name: ServedListName): number {
    return Math.min(TOLD_MS, ...this.#options.offering.servers().map(({ catalog }) => ttlOf(catalog, name)));
  }
}

/** Milliseconds. A server of the legacy era says nothing: it counts whether it tells when the list changes. */
function ttlOf(catalog: Server['catalog'], name: ServedListName): number {
  const { capabilities, protocol } = catalog;
  const declared = capabilities?.[name === 'templates' || name === 'skills' ? 'resources' : name];
  const hasList = name === 'skills' ? catalog.skills.length > 0 : isObject(declared);
  if (!hasList) return TOLD_MS;
  if (protocol !== undefined && isModernRevision(protocol)) return catalog.ttlMsOf(name);
  // No server tells when its skills change.
  return name !== 'skills' && isObject(declared) && declared['listChanged'] === true ? TOLD_MS : SILENT_MS;
}

/** The items of a list while it is made, in slices between other work. */
class Collected {
  readonly #blockOf: (server: string) => ListBlock;
  readonly #turns = new TimeSlice();
  readonly #items: ListedItem[] = [];
  readonly #keys = new Map<string, Set<string>>();

  constructor(blockOf: (server: string) => ListBlock) {
    this.#blockOf = blockOf;
  }

  async add(
    server: string,
    { key, marks }: { readonly key: string; readonly marks: readonly unknown[] },
    make: () => Promise<JsonObject | undefined>,
  ): Promise<void> {
    await this.#turns.pause();
    const keys = this.#keys.get(server) ?? new Set();
    this.#keys.set(server, keys.add(key));
    const item = await this.#blockOf(server).item(key, marks, make);
    if (item) this.#items.push(item);
  }

  end(): readonly ListedItem[] {
    for (const [server, keys] of this.#keys) this.#blockOf(server).keepOnly(keys);
    return this.#items.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  }
}

/** Whether tools of the server may name pages of it, whose URIs depend on the other servers. */
function hasPages({ catalog }: Server): boolean {
  return catalog.resources.some(({ uri }) => uri.startsWith('ui://'));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const TOLD_MS = 60_000;
const SILENT_MS = 5_000;
