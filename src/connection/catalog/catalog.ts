import type { JsonObject } from '../../base/json.js';
import { HostError } from '../../base/errors.js';
import { nameWord } from '../../base/shell-word.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Difference } from '../../model/view/catalog-difference.js';
import type { Clock } from '../../model/clock.js';
import type { Implementation } from '../../model/implementation.js';
import { type CatalogFacts, versionKey } from './catalog-index.js';
import {
  PROMPT,
  type PromptSummary,
  RESOURCE,
  type ResourceSummary,
  TEMPLATE,
  TOOL,
  toPromptSummary,
  toResourceSummary,
  type ToolSummary,
  toToolSummary,
} from './catalog-items.js';
import { CatalogCache, type DefinitionReader } from './catalog-cache.js';
import type { CachedCatalogFile } from './catalog-files.js';
import type { ServerDefinition } from '../../model/server-definition.js';
import type { Connection } from '../connect.js';
import { declaredBy, fetchList, isListDeclared } from './fetch-list.js';
import { type ListColumns, emptyList, LIST_KINDS, type ListKind, type ListFreshness, toCached } from './cached-list.js';
import { RefreshThrottle } from './refresh-throttle.js';
import { ResourceWatch } from '../requests/resource-watch.js';
import type { ServerPromptDefinition } from './prompt-definition.js';
import type { ServerResourceDefinition, ServerTemplateDefinition } from './resource-definition.js';
import type { ServerToolDefinition, ToolFilter, ListedTools } from './tool-definition.js';

export type { ListKind } from './cached-list.js';

/** What became of a list, by the names or addresses of its items. */
export interface CatalogChange {
  readonly list: ListKind | 'instructions';
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface CatalogOptions {
  /** The server's. */
  readonly name: string;
  readonly filter: ToolFilter | undefined;
  readonly clock: Clock;
  /** The time that survives a restart. */
  readonly wall?: () => number;
  /** For each list, all pages together; a minute unless said. */
  readonly listMs?: number | undefined;
  /** Its place on disk; without one it is in memory only. */
  readonly catalogFile?: CachedCatalogFile | undefined;
  /** Contract: must not throw. */
  readonly onChange: (change: CatalogChange) => void;
  /** A list that could not be fetched; what was known of it is kept. Contract: must not throw. */
  readonly onProblem?: (list: ListKind, error: HostError) => void;
}

/**
 * What a server offers, as far as it is known: from disk before the server is started, from the server as soon as it is there.
 * Names and titles are in memory; a definition is read when somebody asks for it.
 */
export class Catalog implements AsyncDisposable {
  /** What its server is asked to tell of. */
  readonly watch: ResourceWatch;
  readonly #options: CatalogOptions;
  readonly #wall: () => number;
  readonly #cache: CatalogCache;
  #source: 'none' | 'disk' | 'server' = 'none';
  /** Lists that have changed, or could not be fetched, since they came. */
  readonly #stale = new Set<ListKind>();
  readonly #problems = new Map<ListKind, HostError>();
  #attachment: Attachment | undefined;

  constructor(options: CatalogOptions) {
    const { clock, wall = Date.now, catalogFile } = options;
    this.#options = options;
    this.#wall = wall;
    this.watch = new ResourceWatch(clock);
    this.#cache = new CatalogCache({ clock, wall, catalogFile });
  }

  get source(): 'none' | 'disk' | 'server' {
    return this.#source;
  }

  get tools(): readonly ToolSummary[] {
    return this.#cache.list('tools').summaries(toToolSummary);
  }

  /** The same, field by field: for whoever makes something else of ten thousand tools. */
  get toolColumns(): Pick<ListColumns, 'names' | 'labels' | 'bits'> {
    return this.#cache.list('tools').columns;
  }

  /** How many there are; nothing is made for it. */
  count(kind: ListKind): number {
    return this.#cache.list(kind).columns.names.length;
  }

  /** Whether a list has something of that name; of resources and templates that is their address. */
  has(kind: ListKind, name: string): boolean {
    return this.#cache.list(kind).positionOf(name) !== undefined;
  }

  get resources(): readonly ResourceSummary[] {
    return this.#cache.list('resources').summaries(toResourceSummary);
  }

  get templates(): readonly ResourceSummary[] {
    return this.#cache.list('templates').summaries(toResourceSummary);
  }

  get prompts(): readonly PromptSummary[] {
    return this.#cache.list('prompts').summaries(toPromptSummary);
  }

  get instructions(): string | undefined {
    return this.#cache.facts?.instructions;
  }

  get server(): Implementation | undefined {
    return this.#cache.facts?.server;
  }

  get protocol(): string | undefined {
    return this.#cache.facts?.protocol;
  }

  get capabilities(): JsonObject | undefined {
    return this.#cache.facts?.capabilities;
  }

  get setAside(): ListedTools['setAside'] {
    return this.#cache.facts?.setAside ?? [];
  }

  get warnings(): readonly string[] {
    return LIST_KINDS.flatMap((kind) => this.warningsOf(kind));
  }

  warningsOf(kind: ListKind): readonly string[] {
    return this.#cache.origin(kind)?.warnings ?? [];
  }

  /** Whether the server has been asked for a list and has not given it yet. */
  isAwaited(kind: ListKind): boolean {
    return this.#attachment?.throttle.underWay(kind) !== undefined;
  }

  /** Resolves when a list that the server has been asked for is there, or will not come. Never rejects. */
  async listed(kind: ListKind): Promise<void> {
    await this.#attachment?.throttle.underWay(kind);
  }

  /** Lists that could not be read when the server was last asked for them since it was connected. */
  get problems(): ReadonlyMap<ListKind, HostError> {
    return this.#problems;
  }

  /** What the last run knew. True when anything is known. */
  recall(): boolean {
    if (this.#source === 'none' && this.#cache.load(this.#options.filter)) this.#source = 'disk';
    return this.#source !== 'none';
  }

  /** Asks for all that is not fresh, and to be told of changes. Resolves when each list has come or failed; never rejects. */
  async attach(link: Connection, signal?: AbortSignal): Promise<void> {
    this.detach();
    if (signal?.aborted === true) return;
    const { clock } = this.#options;
    const abort = new AbortController();
    const throttle = new RefreshThrottle<ListKind>({ clock, refresh: (kind) => this.#fetch(kind, attachment) });
    const attachment: Attachment = { link, throttle, abort };
    signal?.addEventListener('abort', () => this.#end(attachment), { once: true, signal: abort.signal });
    this.#attachment = attachment;
    this.#problems.clear();
    const version = this.#meet(link);
    // Before the lists are asked for, so that what changes meanwhile is told.
    void this.watch.attach(link);
    const declared = declaredBy(link.session);
    await throttle.now(declared.filter((kind) => this.#stale.has(kind) || !this.#cache.isFresh(kind)));
    if (abort.signal.aborted) return;
    const isFound = (kind: ListKind): boolean => this.#cache.origin(kind)?.server === version && !this.#stale.has(kind);
    if (declared.length === 0 || declared.some(isFound)) this.#source = 'server';
    this.#cache.renew();
  }

  /** The server is gone; what is known of it stays. */
  detach(): void {
    if (this.#attachment) this.#end(this.#attachment);
  }

  /** A note of the server. */
  hear(method: string, params: JsonObject = {}): void {
    if (method === 'notifications/resources/updated') this.watch.hear(params);
    const kinds = CHANGED.get(method);
    if (!kinds) return;
    const attachment = this.#attachment;
    const offered = attachment ? kinds.filter((kind) => isListDeclared(attachment.link.session, kind)) : kinds;
    // Until it has been looked at: over the next line, should this one break before.
    for (const kind of offered) this.#stale.add(kind);
    attachment?.throttle.ask(offered);
  }

  /** All of it anew: after another handshake, or because somebody wants it. Never rejects. */
  async refresh(): Promise<void> {
    const attachment = this.#attachment;
    if (!attachment) return;
    this.#meet(attachment.link);
    this.watch.missed();
    await attachment.throttle.now(declaredBy(attachment.link.session));
  }

  /** Somebody looks: what the server no longer calls fresh, and what could not be fetched, is fetched in the background. */
  freshen(): void {
    const attachment = this.#attachment;
    if (!attachment) return;
    const isOver = (kind: ListKind): boolean =>
      (this.#cache.origin(kind)?.ttlMs ?? 0) > 0 && !this.#cache.isFresh(kind);
    const isWanted = (kind: ListKind): boolean => this.#stale.has(kind) || this.#cache.isLost(kind) || isOver(kind);
    const kinds = declaredBy(attachment.link.session).filter(isWanted);
    attachment.throttle.ask(kinds);
  }

  /** In memory and on disk. Of a server that is attached, the next refresh brings it back. Never rejects. */
  async forget(): Promise<void> {
    const known = LIST_KINDS.map((kind) => [kind, this.#cache.list(kind).columns.names] as const);
    const { instructions } = this;
    this.#stale.clear();
    this.#source = 'none';
    const forgotten = this.#cache.forget();
    for (const [list, removed] of known) if (removed.length > 0) this.#publish(list, { ...NO_CHANGE, removed });
    if (instructions !== undefined) this.#publish('instructions', { ...NO_CHANGE, removed: INSTRUCTIONS });
    await forgotten;
  }

  tool(name: string): Promise<ServerToolDefinition | undefined> {
    return this.#definition('tools', name, TOOL);
  }

  /** Many at once, as far as they are at hand; those that are lost are fetched in the background. */
  toolDefinitions(names: readonly string[]): readonly ServerToolDefinition[] {
    const attachment = this.#attachment;
    const found = this.#cache.definitions('tools', names, TOOL, attachment !== undefined);
    if (found.length < names.length) attachment?.throttle.ask(['tools']);
    return found;
  }

  resource(uri: string): Promise<ServerResourceDefinition | undefined> {
    return this.#definition('resources', uri, RESOURCE);
  }

  template(uriTemplate: string): Promise<ServerTemplateDefinition | undefined> {
    return this.#definition('templates', uriTemplate, TEMPLATE);
  }

  prompt(name: string): Promise<ServerPromptDefinition | undefined> {
    return this.#definition('prompts', name, PROMPT);
  }

  /** An item as its server listed it, `_meta` and unknown fields included. */
  serverDefinition(kind: ListKind, name: string): Promise<ServerDefinition | undefined> {
    return this.#find(kind, (isLive) => this.#cache.serverDefinition(kind, name, isLive));
  }

  /** What is to be kept is on disk afterwards, if it can be. Never rejects. */
  flush(): Promise<void> {
    return this.#cache.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.detach();
    await this.flush();
  }

  #end(attachment: Attachment): void {
    attachment.abort.abort();
    attachment.throttle.stop();
    if (this.#attachment !== attachment) return;
    this.#attachment = undefined;
    this.watch.detach();
  }

  /** What the greeting says. Gives the version that lists are of from now on. */
  #meet({ session, redact, traits }: Connection): string {
    const before = this.#cache.facts;
    const { server, version: protocol, capabilities } = session;
    const version = versionKey({ server, protocol });
    const instructions = session.instructions === undefined ? undefined : redact(session.instructions);
    const { setAside, traits: stored } = before && versionKey(before) === version ? before : NOTHING_SPECIAL;
    const facts = { server, protocol, capabilities, instructions, setAside, traits: stored };
    this.#cache.learn(facts);
    if (traits.size === 0) for (const [tool, special] of stored) traits.set(tool, special);
    if (before?.instructions !== instructions) {
      const what = before?.instructions === undefined ? 'added' : instructions === undefined ? 'removed' : 'changed';
      this.#publish('instructions', { ...NO_CHANGE, [what]: INSTRUCTIONS });
    }
    for (const kind of LIST_KINDS) {
      if (isListDeclared(session, kind)) continue;
      this.#stale.delete(kind);
      this.#drop(kind, version);
    }
    return version;
  }

  async #fetch(kind: ListKind, { link, abort }: Attachment): Promise<void> {
    const { filter, clock, listMs: timeoutMs, onProblem } = this.#options;
    const { signal } = abort;
    const cache = this.#cache;
    this.#stale.delete(kind);
    try {
      const fetched = await fetchList[kind](link, { signal, filter, timeoutMs });
      const before = cache.list(kind);
      const list = await toCached(fetched.rows, { clock, before, textOf: (name) => cache.textOf(kind, name) });
      // It may come from a line that is given up: the next one has its own.
      if (signal.aborted) return void this.#stale.add(kind);
      const { warnings, ttlMs, setAside } = fetched;
      const server = this.#versionOf(link);
      if (setAside) cache.learn({ ...cache.facts!, setAside, traits: [...link.traits] });
      const origin: ListFreshness = { server, at: this.#wall(), ttlMs, warnings };
      const change = cache.put(kind, list, origin);
      this.#source = 'server';
      this.#problems.delete(kind);
      if (change) this.#publish(kind, change);
    } catch (error) {
      this.#stale.add(kind);
      if (signal.aborted) return;
      const version = this.#versionOf(link);
      // What another version of it had is no better than nothing; a line that broke says nothing about that.
      if (cache.origin(kind)?.server !== version && !link.peer.isClosed) this.#drop(kind, version);
      const problem = toListError(error, this.#options.name, kind);
      this.#problems.set(kind, problem);
      onProblem?.(kind, problem);
    }
  }

  /** Whoever has forgotten everything meets it again. */
  #versionOf(link: Connection): string {
    const { facts } = this.#cache;
    return facts ? versionKey(facts) : this.#meet(link);
  }

  #drop(kind: ListKind, server: string): void {
    const change = this.#cache.put(kind, emptyList(), { server, at: this.#wall(), ttlMs: 0, warnings: [] });
    if (change) this.#publish(kind, change);
  }

  #definition<T>(kind: ListKind, name: string, reader: DefinitionReader<T>): Promise<T | undefined> {
    return this.#find(kind, (isLive) => this.#cache.definition(kind, name, reader, isLive));
  }

  async #find<T>(kind: ListKind, find: (isLive: boolean) => T | undefined): Promise<T | undefined> {
    const attachment = this.#attachment;
    const found = find(attachment !== undefined);
    if (found !== undefined || !attachment || !this.#cache.isLost(kind)) return found;
    await attachment.throttle.now([kind]);
    return find(true);
  }

  #publish(list: CatalogChange['list'], change: Difference): void {
    this.#options.onChange({ list, ...change });
  }
}

/** One line to the server, for as long as it lasts. */
interface Attachment {
  readonly link: Connection;
  readonly throttle: RefreshThrottle<ListKind>;
  readonly abort: AbortController;
}

const CHANGED: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/resources/list_changed', ['resources', 'templates']],
  ['notifications/prompts/list_changed', ['prompts']],
]);
const NO_CHANGE: Difference = { added: [], removed: [], changed: [] };
const NOTHING_SPECIAL: Pick<CatalogFacts, 'setAside' | 'traits'> = { setAside: [], traits: [] };
const INSTRUCTIONS: readonly string[] = ['instructions'];

function toListError(error: unknown, server: string, kind: ListKind): HostError {
  if (error instanceof HostError && error.code === 'call-timeout') {
    // The time of an entry is for calls.
    return new HostError(error.code, error.message, {
      hint: `Give it more time with MCP_TIMEOUT=MS or --timeout MS, or see what it waits for: plugboard logs ${nameWord(server)}`,
      ...(error.detail && { detail: error.detail }),
      cause: error,
    });
  }
  const hint = 'Run it again with --verbose and report what it prints';
  return toHostError(error, `Listing the ${kind} of server "${server}" failed inside Plugboard`, { hint, reason: '' });
}
