import { numberOf } from '../../config/risks/odd-variables.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { catalogFiles } from '../../connection/catalog/catalog-files.js';
import { RECONNECT_LIMITS } from '../../model/status.js';
import { transportKindOf } from '../../transports/kinds.js';
import type { HostCaller } from '../host-caller.js';
import type { HostOptions, ProgramOptions } from '../host-options.js';
import { type ServerState, toServerState } from './server-state.js';
import { sharesSignIn, toTarget } from '../sign-in/sign-in-targets.js';
import { Slots } from '../calls/slots.js';
import { connectTimeout, listTimeout } from '../configuration/environment-variables.js';
import { EndingServers } from './ending-servers.js';
import type { HostEmitter } from './host-emitter.js';
import { Server, type ServerServices } from './server.js';
import { restAfterListing } from './rest-after-listing.js';
import { ServerNames } from './server-names.js';
import { chooseEntries, type ServerToRun, toServersToRun } from './servers-to-run.js';
import { StatusChain } from './status-chain.js';
import { FirstConnectorsAccount } from './first-connectors-account.js';

export interface ServersOptions {
  readonly services: ServerServices;
  readonly events: HostEmitter;
  readonly options: Pick<HostOptions, 'only' | 'start' | 'serves'>;
  readonly program?: Pick<ProgramOptions, 'timeoutMs' | 'listTimeoutMs'>;
  /** Creates the host's own caller for one server. */
  readonly callerFor: (servers: Servers, server: Server) => HostCaller;
  /** For a fork: the parent's servers, and the names of those it shares; undefined: all. */
  readonly parent?: { readonly servers: Servers; readonly shared: ReadonlySet<string> | undefined } | undefined;
}

/** The servers of one configuration: one for each name, started a few at a time, replaced when their entry changes. */
export class Servers implements AsyncDisposable {
  readonly names: ServerNames;
  readonly #options: ServersOptions;
  readonly #slots: { readonly local: Slots; readonly remote: Slots };
  readonly #catalogs: ReturnType<typeof catalogFiles> | undefined;
  readonly #statuses: StatusChain;
  readonly #ending: EndingServers;
  readonly #account = new FirstConnectorsAccount();
  readonly #own = new Map<string, Server>();
  /** For each name the entry that runs, or would run. */
  #entries: ReadonlyMap<string, ConfiguredServer> = new Map();
  #hashes: ReadonlyMap<string, string> = new Map();
  /** Closings in progress, by name: the next server of that name waits for them. */
  readonly #retiring = new Map<string, Promise<void>>();
  readonly #switchedOff = new Set<string>();
  readonly #forks = new Set<Servers>();
  /** A fork's listeners on its parent. */
  readonly #sharing: Disposable[] = [];
  readonly #onTools = new Set<() => void>();
  #disposal: Promise<void> | undefined;
  /** Servers that are started in a moment. */
  readonly #toStart = new Set<Server>();
  #startTimer: Disposable | undefined;

  constructor(options: ServersOptions) {
    this.#options = options;
    const { services, events, parent } = options;
    const { configuration, connectionFactory, identities, ports } = services;
    const { env, places } = configuration.loaded.context;
    const slots = (limit: number | undefined, usual: number): Slots =>
      new Slots({ limit: limit ?? usual, isStrict: limit !== undefined, clock: ports.clock });
    this.#slots = {
      local: slots(numberOf(env, 'MCP_SERVER_CONNECTION_BATCH_SIZE'), LOCAL_SLOTS),
      remote: slots(numberOf(env, 'MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE'), REMOTE_SLOTS),
    };
    this.#catalogs = places.cache === undefined ? undefined : catalogFiles(`${places.cache}/catalogs`);
    this.#ending = new EndingServers(ports.clock);
    this.#statuses = new StatusChain({
      wall: ports.wall,
      tell: (change) => events.emit('server', change),
      log: (name, line) => connectionFactory.log(name, line),
    });
    if (parent) {
      const { servers } = parent;
      servers.#forks.add(this);
      // Forwards the events of shared servers.
      for (const kind of ['server', 'catalog', 'note'] as const) {
        const telling = servers.#options.events.on(kind, (event) => {
          if (this.#shares('server' in event ? event.server : event.name)) events.emit(kind, event);
        });
        this.#sharing.push(telling);
      }
    } else {
      identities.events.on('signed-in', (target) => this.#resumeSignedIn(target));
      identities.events.on('wants-more', () => this.toolsChanged());
    }
    this.names = new ServerNames(this);
    configuration.watch(({ change, read: { problems } }) => {
      const before = this.#entries;
      this.#reconcile();
      if (change === 'own' || change === 'overlay') return;
      const gone = [...before.keys()].filter((name) => !this.#entries.has(name));
      events.emit('config', { problems, gone });
      // With another token the account may have other rights: the connectors list their tools again.
      if (change === 'connectors')
        for (const { isConnector, catalog } of this.#own.values()) if (isConnector) void catalog.refresh();
    });
    this.#reconcile();
  }

  get isClosed(): boolean {
    return this.#disposal !== undefined;
  }

  get isFork(): boolean {
    return this.#options.parent !== undefined;
  }

  get(name: string): Server | undefined {
    return this.#own.get(name) ?? (this.#shares(name) ? this.#parent?.get(name) : undefined);
  }

  /** The server of this name, also where a fork does not share it. */
  getAny(name: string): Server | undefined {
    return this.#own.get(name) ?? this.#parent?.getAny(name);
  }

  /** Whether a fork has its own server of this name. */
  hasOwnServer(name: string): boolean {
    return this.isFork && this.#own.has(name);
  }

  /** All servers, in the order of the configuration. */
  all(): readonly Server[] {
    const shared = this.#parent ? this.#parent.all().filter(({ name }) => this.#shares(name)) : [];
    return [...shared, ...this.#own.values()];
  }

  /** The entry of the server of this name that runs, or would run. */
  entry(name: string): ConfiguredServer | undefined {
    return this.#entries.get(name) ?? (this.#shares(name) ? this.#parent?.entry(name) : undefined);
  }

  /** Every entry found, strongest first. */
  entries(): readonly ConfiguredServer[] {
    return [...this.#configured, ...(this.#parent?.entries() ?? [])];
  }

  /** The states of all entries found, strongest first. `describe` extends the state of one that runs, or would run. */
  states(describe: (state: ServerState) => ServerState = (state) => state): readonly ServerState[] {
    const own = this.#configured.map((entry) => {
      const isChosen = entry === this.#entries.get(entry.name);
      return isChosen ? describe(this.#stateOf(entry)) : toServerState(entry);
    });
    const shared = this.#parent?.states(describe).filter(({ name }) => this.#shares(name)) ?? [];
    return [...shared, ...own];
  }

  /** The state of the entry of this name that runs, or would run. */
  state(name: string): ServerState | undefined {
    const entry = this.#entries.get(name);
    if (entry) return this.#stateOf(entry);
    return this.#shares(name) ? this.#parent?.state(name) : undefined;
  }

  /** Called when tools, their names or visibility may have changed. Contract: the listener must not throw. */
  onTools(listener: () => void): void {
    this.#onTools.add(listener);
  }

  /** Notifies the listeners, those of forks included. */
  toolsChanged(): void {
    for (const listener of this.#onTools) listener();
    for (const fork of this.#forks) fork.toolsChanged();
  }

  /** Resolves when a fork's own servers and the account's connectors are known. Never rejects. */
  async configured(): Promise<void> {
    await this.#options.services.configuration.settled;
  }

  /** Resolves when every server has listed what it offers, or has failed. Never rejects. */
  async settled(): Promise<void> {
    await this.configured();
    await Promise.all(this.all().map((server) => server.settled()));
  }

  /** Disables a server until this host closes. */
  disable(name: string): void {
    this.#switchedOff.add(name);
    this.#switch(name);
  }

  enable(name: string): void {
    this.#switchedOff.delete(name);
    this.#switch(name);
  }

  /** Closes the forks' servers and then its own, gracefully first. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    this.#startTimer?.[Symbol.dispose]();
    const ending = this.#options.services.configuration[Symbol.asyncDispose]();
    await Promise.all(Array.from(this.#forks, (fork) => fork[Symbol.asyncDispose]()));
    await ending;
    for (const server of this.#own.values()) this.#end(server);
    this.#ending.closeAll();
    this.#own.clear();
    await Promise.all(this.#retiring.values());
    const parent = this.#parent;
    if (parent) parent.#forks.delete(this);
    for (const telling of this.#sharing) telling[Symbol.dispose]();
  }

  get #parent(): Servers | undefined {
    return this.#options.parent?.servers;
  }

  get #configured(): readonly ConfiguredServer[] {
    return this.#options.services.configuration.loaded.servers;
  }

  #shares(name: string): boolean {
    const { parent } = this.#options;
    return parent !== undefined && (parent.shared?.has(name) ?? true) && !this.#own.has(name);
  }

  #stateOf(entry: ConfiguredServer): ServerState {
    return toServerState(entry, this.#own.get(entry.name));
  }

  /** Starts new servers, stops those that are gone, replaces those whose entry changed, and leaves all others alone. */
  #reconcile(): void {
    if (this.#disposal) return;
    const { options } = this.#options;
    this.#entries = chooseEntries(this.#configured);
    const runnable = this.#toRun(this.#entries.values());
    const named = options.only && !this.#parent ? new Set(options.only) : undefined;
    const wanted = named ? runnable.filter(({ entry }) => named.has(entry.name)) : runnable;
    const replaced = this.#retireOthers(wanted);
    const before = new Map(this.#own);
    this.#own.clear(); // in the order of the entries, also for servers that exist already
    for (const one of wanted) {
      const { name } = one.entry;
      const known = before.get(name);
      known?.reread(one.entry);
      const server = known ?? this.#create(one);
      this.#own.set(name, server);
      replaced.get(name)?.retire(server);
    }
    for (const one of wanted) this.#runOrDisable(this.#own.get(one.entry.name)!, one, !before.has(one.entry.name));
    this.toolsChanged();
  }

  /** What `#reconcile` does, for one server whose entry is as it was: thousands may be switched, one by one. */
  #switch(name: string): void {
    const server = this.#own.get(name);
    const entry = this.#entries.get(name);
    if (this.#disposal || !server || !entry) return;
    for (const one of this.#toRun([entry])) this.#runOrDisable(server, one, false);
    this.toolsChanged();
  }

  #toRun(entries: Iterable<ConfiguredServer>): readonly ServerToRun[] {
    const { services, options } = this.#options;
    return toServersToRun(this.#account.of(services.configuration.loaded), entries, {
      isLazy: options.start === 'lazy',
      switchedOff: this.#switchedOff,
      credentialsFor: (entry) => services.identities.credentialsFor(entry),
    });
  }

  /** Ends servers that are gone or have another hash. Returns, by name, those that another server replaces. */
  #retireOthers(wanted: readonly ServerToRun[]): ReadonlyMap<string, Server> {
    const hashes = new Map(wanted.map((one) => [one.entry.name, hashOf(one)]));
    const replaced = new Map<string, Server>();
    for (const [name, server] of this.#own) {
      if (hashes.get(name) === this.#hashes.get(name)) continue;
      const isReplaced = hashes.has(name);
      this.#statuses.retired(server, isReplaced);
      this.#own.delete(name);
      if (isReplaced) replaced.set(name, server);
      else {
        server.retire(undefined);
        // A replaced server's differences are reported by the new catalog.
        const removed = server.catalog.tools.map((tool) => tool.name);
        const change = { server: name, list: 'tools', added: [], removed, changed: [] } as const;
        if (removed.length > 0) this.#options.events.emit('catalog', change);
      }
      this.#end(server);
    }
    this.#hashes = hashes;
    return replaced;
  }

  #create({ entry, server: toConnect, catalogKey, isOneOfMany }: ServerToRun): Server {
    const { services, events, callerFor, program = {} } = this.#options;
    const { ports, configuration } = services;
    const { env } = configuration.loaded.context;
    const { name } = entry;
    const slots = this.#slots[transportKindOf(toConnect.config).locality];
    const server: Server = new Server({
      entry,
      server: toConnect,
      services,
      clock: ports.clock,
      random: ports.random,
      timeoutMs: program.timeoutMs ?? connectTimeout(env),
      listMs: program.listTimeoutMs ?? Math.max(program.timeoutMs ?? 0, listTimeout(env)),
      limits: RECONNECT_LIMITS,
      catalogFile: this.#catalogs?.(catalogKey),
      isOneOfMany,
      takeSlot: async (signal) => {
        await this.#retiring.get(name);
        return slots.take(signal);
      },
      callerFor: (one) => callerFor(this, one),
      onStatus: (change) => {
        if (this.#ending.has(server)) return;
        this.toolsChanged();
        this.#statuses.changed(name, change);
        const { serves } = this.#options.options;
        if (serves === true && change.after.kind === 'connected') void restAfterListing(server); // never rejects
      },
      onCatalog: (change) => {
        if (this.#ending.has(server)) return;
        if (change.list === 'tools') server.toolsListed();
        this.toolsChanged();
        events.emit('catalog', { server: name, ...change });
      },
      onWarning: (warning) => events.emit('note', { server: name, ...warning }),
    });
    server.catalog.recall();
    return server;
  }

  #runOrDisable(server: Server, { disabled, isLazy }: ServerToRun, isNew: boolean): void {
    if (disabled !== undefined) server.disable(disabled);
    else if (isNew || server.status.kind === 'disabled') {
      server.enable();
      if (isLazy) return;
      // What an earlier run listed is served at once: a hundred processes that start would delay the first answers.
      if (this.#options.options.serves === true && server.catalog.source !== 'none') this.#startLater(server);
      else server.start('host');
    }
  }

  #startLater(server: Server): void {
    this.#toStart.add(server);
    this.#startTimer ??= this.#options.services.ports.clock.after(LATER_MS, () => {
      this.#startTimer = undefined;
      const waiting = [...this.#toStart];
      this.#toStart.clear();
      for (const one of waiting) if (!one.isClosed && one.status.kind === 'idle') one.start('host');
    });
  }

  #end(server: Server): void {
    const mayWait = this.#options.options.serves === true && !this.#disposal && server.inFlight > 0;
    if (mayWait) this.#ending.add(server, () => this.#close(server));
    else this.#close(server);
  }

  #close(server: Server): void {
    const { name } = server;
    const retiring = this.#closeAfter(this.#retiring.get(name), server).finally(() => {
      if (this.#retiring.get(name) === retiring) this.#retiring.delete(name);
    });
    this.#retiring.set(name, retiring);
  }

  async #closeAfter(before: Promise<void> | undefined, server: Server): Promise<void> {
    await Promise.all([before, server[Symbol.asyncDispose]()]);
  }

  /** Resumes every server that can use this sign-in, whatever its name. */
  #resumeSignedIn(target: Parameters<typeof sharesSignIn>[1]): void {
    const { xaaIdp } = this.#options.services.configuration.loaded.settings;
    for (const server of this.#own.values()) {
      const own = toTarget(server.entry, xaaIdp);
      if (own && sharesSignIn(own, target)) server.resumeSignedIn();
    }
    // A sign-in may add scopes, which changes the callable tools but no server's state.
    this.toolsChanged();
    for (const fork of this.#forks) fork.#resumeSignedIn(target);
  }
}

/** Another config, another account, or another folder for its programs makes it another server. */
function hashOf({ server, catalogKey, startsInPrivateFolder }: ServerToRun): string {
  return `${server.hash} ${catalogKey} ${startsInPrivateFolder ? 'apart' : ''}`;
}

/** Long enough for a client that started this program to have its first answers. */
const LATER_MS = 1_000;
const LOCAL_SLOTS = 3;
const REMOTE_SLOTS = 20;
