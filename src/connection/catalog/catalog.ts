import type { JsonObject } from '../../base/json.js';
import type { HostError } from '../../base/errors.js';
import type { Difference } from '../../model/view/catalog-difference.js';
import { redactValue } from '../../model/redaction/redact-value.js';
import type { Implementation } from '../../model/implementation.js';
import { type CatalogFacts, versionKey } from './catalog-index.js';
import {
  PROMPT,
  type PromptSummary,
  RESOURCE,
  type ResourceSummary,
  SKILL,
  TEMPLATE,
  TOOL,
  toPromptSummary,
  toResourceSummary,
  type ToolSummary,
  toToolSummary,
} from './catalog-items.js';
import { CatalogCache, type DefinitionReader } from './catalog-cache.js';
import type { CatalogChange, CatalogOptions } from './catalog-options.js';
import type { ServerDefinition } from '../../model/server-definition.js';
import type { Connection } from '../connect.js';
import { declaredBy, fetchList, isListDeclared, listsChangedBy } from './fetch-list.js';
import { type ListColumns, emptyList, LIST_KINDS, type ListKind, type ListFreshness, toCached } from './cached-list.js';
import { toListError } from './list-error.js';
import { RefreshThrottle } from './refresh-throttle.js';
import { ResourceWatch } from '../requests/resource-watch.js';
import type { ServerPromptDefinition } from './prompt-definition.js';
import type { ServerResourceDefinition, ServerTemplateDefinition } from './resource-definition.js';
import type { ListedSkill } from './skill-definition.js';
import type { ServerToolDefinition, ListedTools } from './tool-definition.js';

export type { ListKind } from './cached-list.js';
export type { CatalogChange } from './catalog-options.js';

/**
 * What a server offers: from disk before the server is started, from the server once it is connected. Names and titles
 * are in memory; a definition is read when it is asked for.
 */
export class Catalog implements AsyncDisposable {
  /** Subscriptions on this server: changes of its lists, and the resources that callers watch. */
  readonly watch: ResourceWatch;
  readonly #options: CatalogOptions;
  readonly #wall: () => number;
  readonly #cache: CatalogCache;
  #source: 'none' | 'disk' | 'server' = 'none';
  /** Lists that have changed on the server, or could not be fetched, since the last fetch. */
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

  /** `tools` as columns, for callers that build their own objects of 10,000 tools. */
  get toolColumns(): Pick<ListColumns, 'names' | 'labels' | 'bits'> {
    return this.#cache.list('tools').columns;
  }

  /** Number of items; creates no summaries. */
  count(kind: ListKind): number {
    return this.#cache.list(kind).columns.names.length;
  }

  /** Whether a list has an item with this name; for resources and templates, with this URI. */
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

  /** The skills that the server lists by the extension; it may have others, which are resources. */
  get skills(): readonly ResourceSummary[] {
    return this.#cache.list('skills').summaries(toResourceSummary);
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

  /** What calls must know of tools in advance, by the tools' names. */
  get traits(): CatalogFacts['traits'] {
    return this.#cache.facts?.traits ?? [];
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

  /** Milliseconds that the list stays fresh, as a modern server says. */
  ttlMsOf(kind: ListKind): number {
    return this.#cache.origin(kind)?.ttlMs ?? 0;
  }

  /** Whether a request for this list is in flight. */
  isFetching(kind: ListKind): boolean {
    return this.#attachment?.throttle.underWay(kind) !== undefined;
  }

  /** Resolves when the request for this list that is in flight has succeeded or failed. Never rejects. */
  async listed(kind: ListKind): Promise<void> {
    await this.#attachment?.throttle.underWay(kind);
  }

  /** Lists whose latest fetch on this connection failed. */
  get problems(): ReadonlyMap<ListKind, HostError> {
    return this.#problems;
  }

  /** Loads the last run's catalog from disk. True when a catalog is known. */
  recall(): boolean {
    if (this.#source === 'none' && this.#cache.load(this.#options.filter)) this.#source = 'disk';
    return this.#source !== 'none';
  }

  /** Fetches lists that are not fresh, and subscribes to changes. Resolves when all came or failed; never rejects. */
  async attach(connection: Connection, signal?: AbortSignal): Promise<void> {
    this.detach();
    if (signal?.aborted === true) return;
    const { clock } = this.#options;
    const abort = new AbortController();
    const throttle = new RefreshThrottle<ListKind>({ clock, refresh: (kind) => this.#fetch(kind, attachment) });
    const attachment: Attachment = { connection, throttle, abort };
    signal?.addEventListener('abort', () => this.#end(attachment), { once: true, signal: abort.signal });
    this.#attachment = attachment;
    this.#problems.clear();
    const version = this.#applyHandshake(connection);
    // Before the lists are fetched, so that the server notifies of changes meanwhile.
    void this.watch.attach(connection);
    const declared = declaredBy(connection.session);
    await throttle.now(declared.filter((kind) => this.#stale.has(kind) || !this.#cache.isFresh(kind)));
    if (abort.signal.aborted) return;
    const isFound = (kind: ListKind): boolean => this.#cache.origin(kind)?.server === version && !this.#stale.has(kind);
    if (declared.length === 0 || declared.some(isFound)) this.#source = 'server';
    this.#cache.renew();
  }

  /** The server is disconnected; the catalog keeps its items. */
  detach(): void {
    if (this.#attachment) this.#end(this.#attachment);
  }

  /** Handles a notification of the server. */
  onNotification(method: string, params: JsonObject = {}): void {
    if (method === 'notifications/resources/updated') this.watch.hear(params);
    const kinds = listsChangedBy.get(method);
    if (!kinds) return;
    const attachment = this.#attachment;
    const offered = attachment ? kinds.filter((kind) => isListDeclared(attachment.connection.session, kind)) : kinds;
    // Stale until fetched again: on the next connection, if this one closes first.
    for (const kind of offered) this.#stale.add(kind);
    attachment?.throttle.ask(offered);
  }

  /** Fetches all lists again: after another handshake, or on request. Never rejects. */
  async refresh(): Promise<void> {
    const attachment = this.#attachment;
    if (!attachment) return;
    this.#applyHandshake(attachment.connection);
    this.watch.missed();
    await attachment.throttle.now(declaredBy(attachment.connection.session));
  }

  /** Called when the catalog is read: fetches lists that are no longer fresh, or failed, in the background. */
  refreshStale(): void {
    const attachment = this.#attachment;
    if (!attachment) return;
    const isOver = (kind: ListKind): boolean => this.ttlMsOf(kind) > 0 && !this.#cache.isFresh(kind);
    const isWanted = (kind: ListKind): boolean => this.#stale.has(kind) || this.#cache.isLost(kind) || isOver(kind);
    const kinds = declaredBy(attachment.connection.session).filter(isWanted);
    attachment.throttle.ask(kinds);
  }

  /** Deletes the catalog in memory and on disk. If the server is attached, `refresh` restores it. Never rejects. */
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

  /** Many definitions at once, as far as the cache has them; lost ones are fetched in the background. */
  toolDefinitions(names: readonly string[]): readonly ServerToolDefinition[] {
    return this.#definitions('tools', names, TOOL);
  }

  resourceDefinitions(uris: readonly string[]): readonly ServerResourceDefinition[] {
    return this.#definitions('resources', uris, RESOURCE);
  }

  skillDefinitions(uris: readonly string[]): readonly ListedSkill[] {
    return this.#definitions('skills', uris, SKILL);
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

  /** Saves pending changes to disk at once, as far as possible. Never rejects. */
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

  /** Takes over what the handshake says. Returns the `versionKey` that lists belong to from now on. */
  #applyHandshake({ session, redact, traits }: Connection): string {
    const before = this.#cache.facts;
    const { server, version: protocol } = session;
    const capabilities = redactValue(session.capabilities, redact) as JsonObject;
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

  async #fetch(kind: ListKind, { connection, abort }: Attachment): Promise<void> {
    const { filter, clock, isOneOfMany, listMs: timeoutMs, onProblem } = this.#options;
    const { signal } = abort;
    const cache = this.#cache;
    this.#stale.delete(kind);
    try {
      const fetched = await fetchList[kind](connection, { signal, filter, timeoutMs });
      const before = cache.list(kind);
      const list = await toCached(fetched.rows, { clock, before, textOf: cache.textOf.bind(cache, kind), isOneOfMany });
      // The connection has been given up: the next one fetches its own list.
      if (signal.aborted) return void this.#stale.add(kind);
      const { warnings, ttlMs, setAside } = fetched;
      const server = this.#versionOf(connection);
      if (setAside) cache.learn({ ...cache.facts!, setAside, traits: [...connection.traits] });
      const origin: ListFreshness = { server, at: this.#wall(), ttlMs, warnings };
      const change = cache.put(kind, list, origin);
      this.#source = 'server';
      this.#problems.delete(kind);
      if (change) this.#publish(kind, change);
    } catch (error) {
      this.#stale.add(kind);
      if (signal.aborted) return;
      const version = this.#versionOf(connection);
      // Items of another server version are no better than none; after a broken connection they stay.
      if (cache.origin(kind)?.server !== version && !connection.peer.isClosed) this.#drop(kind, version);
      const problem = toListError(error, this.#options.name, kind);
      this.#problems.set(kind, problem);
      onProblem?.(kind, problem);
    }
  }

  /** After `forget` the facts are gone: the handshake's are taken again. */
  #versionOf(connection: Connection): string {
    const { facts } = this.#cache;
    return facts ? versionKey(facts) : this.#applyHandshake(connection);
  }

  #drop(kind: ListKind, server: string): void {
    const change = this.#cache.put(kind, emptyList(), { server, at: this.#wall(), ttlMs: 0, warnings: [] });
    if (change) this.#publish(kind, change);
  }

  #definition<T>(kind: ListKind, name: string, reader: DefinitionReader<T>): Promise<T | undefined> {
    return this.#find(kind, (isLive) => this.#cache.definition(kind, name, reader, isLive));
  }

  #definitions<T>(kind: ListKind, names: readonly string[], reader: DefinitionReader<T>): readonly T[] {
    const found = this.#cache.definitions(kind, names, reader, this.#isLive);
    if (found.length < names.length) this.#fetchLost(kind);
    return found;
  }

  async #find<T>(kind: ListKind, find: (isLive: boolean) => T | undefined): Promise<T | undefined> {
    const found = find(this.#isLive);
    if (found !== undefined || !this.#cache.isLost(kind)) return found;
    const attachment = this.#attachment;
    if (!attachment) {
      this.#fetchLost(kind);
      return found;
    }
    await attachment.throttle.now([kind]);
    return find(true);
  }

  /** Whether the server can be asked for what the cache has lost. */
  get #isLive(): boolean {
    return this.#attachment !== undefined || this.#options.isResting?.() === true;
  }

  /** In the background. */
  #fetchLost(kind: ListKind): void {
    if (this.#attachment) this.#attachment.throttle.ask([kind]);
    else if (this.#options.isResting?.() === true) {
      this.#stale.add(kind);
      this.#options.wake?.();
    }
  }

  #publish(list: CatalogChange['list'], change: Difference): void {
    this.#options.onChange({ list, ...change });
  }
}

/** The catalog's use of one connection, until the connection ends. */
interface Attachment {
  readonly connection: Connection;
  readonly throttle: RefreshThrottle<ListKind>;
  readonly abort: AbortController;
}

const NO_CHANGE: Difference = { added: [], removed: [], changed: [] };
const NOTHING_SPECIAL: Pick<CatalogFacts, 'setAside' | 'traits'> = { setAside: [], traits: [] };
const INSTRUCTIONS: readonly string[] = ['instructions'];
