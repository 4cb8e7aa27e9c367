import { Emitter } from '../base/emitter.js';
import type { ConfigOptions } from '../config/context.js';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import { numberOf } from '../config/odd-variables.js';
import type { ConfiguredServer } from '../config/server.js';
import { watchConfig } from '../config/watch.js';
import type { Connection } from '../connection/connection.js';
import type { Dock } from '../connection/dock.js';
import type { HookQuestion, HookReply } from '../model/hook-call.js';
import type { Drift } from './drift.js';
import { pageOrigin } from './elicitation/page-origin.js';
import type { HostEvent, HostEvents } from './host-events.js';
import type { ForkOptions, HostOptions, Surroundings } from './host-options.js';
import { Identities } from './identities.js';
import { ConnectorRefresh } from './connector-refresh.js';
import { keepConnectors } from './keep-connectors.js';
import { keepLastGood } from './keep-last-good.js';
import { openDock } from './open-dock.js';
import { obeyCommands } from './obey-commands.js';
import { chooseDefinitions, toPooled } from './pooled.js';
import { Pool } from './pool.js';
import { type Ports, withDefaults } from './ports.js';
import { type ServerState, toServerState } from './server-state.js';
import { StatusChain } from './status-chain.js';
import { resumeSignedIn } from './sign-in.js';
import type { SamplingOptions } from './serve-sampling.js';
import { servingOf } from './serving-of.js';
import { SteadyAccount } from './steady-account.js';
import { refuseUnknown, sharedServers, type SharedServers } from './shared-servers.js';
import { connectTimeout, listTimeout } from './variables.js';

/** The servers of one configuration, kept alive: found, started, watched, exchanged. Nothing of it outlives it. */
export class Fleet implements AsyncDisposable {
  readonly dock: Dock;
  readonly ports: Ports;
  readonly identities: Identities;
  readonly #options: HostOptions;
  readonly #pool: Pool;
  readonly #parent: Fleet | undefined;
  /** Of the parent's; undefined: all. */
  readonly #shared: ReadonlySet<string> | undefined;
  readonly #children = new Set<Fleet>();
  readonly #switchedOff = new Set<string>();
  readonly #chain = new StatusChain({
    wall: () => this.ports.wall(),
    tell: (change) => this.emit('server', change),
    log: (name, line) => this.dock.log(name, line),
  });
  readonly #closing = new AbortController();
  readonly #events = new Emitter<HostEvents>((error) =>
    process.emitWarning(`a listener of a host threw: ${String(error)}`, 'PlugboardWarning'),
  );
  /** What happened before anybody could listen: told in the next turn. */
  #early: (() => void)[] | undefined = [];
  #loaded: LoadedConfig;
  /** Of each name the definition that runs, or would. */
  #chosen: ReadonlyMap<string, ConfiguredServer> = new Map();
  #starting: Promise<void> | undefined;
  #connectors: ConnectorRefresh | undefined;
  readonly #account = new SteadyAccount();
  /** Where other programs of this user reach it. */
  #commands: ReturnType<typeof obeyCommands> | undefined;
  #disposal: Promise<void> | undefined;
  /** What the tools are called may be different from now on. Contract: must not throw. */
  onTools: (() => void) | undefined;
  /** How a server differs from its lock. Contract: must not throw. */
  driftOf: ((server: string) => Drift | undefined) | undefined;
  /** Answers for the user what a server asks. Contract: never rejects. */
  onQuestion: ((question: HookQuestion, signal: AbortSignal) => Promise<HookReply>) | undefined;
  /** What a server says by itself. Contract: must not throw. */
  onNotification: ((server: string, method: string, params: { readonly [name: string]: unknown }) => void) | undefined;
  /** Decides whether a server may use the model. Contract: as above. */
  onSampling:
    | ((server: string, ...asked: Parameters<SamplingOptions['permit']>) => Promise<'allow' | 'deny'>)
    | undefined;

  static over(loaded: LoadedConfig, options: HostOptions, surroundings: Surroundings): Fleet {
    const { places } = loaded.context;
    const ports = withDefaults(options.ports);
    const dock = openDock(loaded, options, { ...ports, ...surroundings });
    const fleet = new Fleet({ loaded, options, ports, dock, surroundings });
    if (surroundings.areConnectorsKnown !== true) fleet.#asksForConnectors(ports);
    if (options.watch !== false) ports.clock.soon(() => void fleet.#watch());
    if (options.socket ?? options.watch !== false) fleet.#commands = obeyCommands(fleet, places.runtime);
    return fleet;
  }

  private constructor({ loaded, options, ports, dock, surroundings = {}, parent, shared }: FleetParts) {
    this.#loaded = loaded;
    this.#options = options;
    this.ports = ports;
    this.dock = dock;
    this.#parent = parent;
    this.#shared = shared;
    this.identities =
      parent?.identities ??
      new Identities({
        loaded: () => this.#loaded,
        ports,
        processes: dock.processes,
        onProblem: (message) => this.emit('problem', { message }),
        onSignedIn: (target) => resumeSignedIn(this, target),
        onWantsMore: () => this.retell(),
      });
    const { env, places } = loaded.context;
    this.#pool = new Pool({
      dock,
      clock: ports.clock,
      random: ports.random,
      timeoutMs: Math.min(surroundings.timeoutMs ?? Infinity, connectTimeout(env)),
      listMs: Math.min(surroundings.listTimeoutMs ?? Infinity, listTimeout(env)),
      catalogs: places.cache === undefined ? undefined : `${places.cache}/catalogs`,
      localLimit: numberOf(env, 'MCP_SERVER_CONNECTION_BATCH_SIZE'),
      remoteLimit: numberOf(env, 'MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE'),
      serving: (server) => servingOf(this, server),
      onStatus: ({ name }, change) => {
        this.retell();
        this.#chain.changed(name, change);
      },
      onRetired: (connection, isReplaced) => this.#retired(connection, isReplaced),
      onCatalog: ({ name }, change) => {
        this.retell();
        this.emit('catalog', { server: name, ...change });
      },
      onNote: ({ name }, note) => this.emit('note', { server: name, ...note }),
      onNotification: ({ name }, method, params) => this.onNotification?.(name, method, params),
    });
    this.#sync();
    ports.clock.soon(() => {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const tell of early) tell();
    });
  }

  /** Where it hears what other programs of this user ask of it. */
  async commandSocket(): Promise<string | undefined> {
    return (await this.#commands)?.path;
  }

  /** As it was read last. */
  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get isClosed(): boolean {
    return this.#disposal !== undefined;
  }

  /** It shares servers of another one. */
  get isFork(): boolean {
    return this.#parent !== undefined;
  }

  /** Those that share servers of this one. */
  get forks(): Iterable<Fleet> {
    return this.#children;
  }

  /** Whether a fork has a server of that name of its own. */
  brings(name: string): boolean {
    return this.#parent !== undefined && this.#pool.get(name) !== undefined;
  }

  /** Resolves when servers of its own, that somebody has brought along, are known. */
  get begun(): Promise<void> | undefined {
    return this.#starting ?? this.#connectors?.settled();
  }

  /** Every definition that was found, strongest first, and what became of it. */
  servers(): readonly ServerState[] {
    const own = this.#loaded.servers.map((server) => {
      const isRunning = server === this.#chosen.get(server.name);
      return isRunning ? this.#stateOf(server) : toServerState(server);
    });
    const shared = this.#parent?.servers().filter(({ name }) => this.#shares(name)) ?? [];
    return [...shared, ...own];
  }

  /** The one of that name that runs, or would. */
  server(name: string): ServerState | undefined {
    const definition = this.#chosen.get(name);
    if (definition) return this.#stateOf(definition);
    return this.#shares(name) ? this.#parent?.server(name) : undefined;
  }

  #stateOf(definition: ConfiguredServer): ServerState {
    const state = toServerState(definition, this.#pool.get(definition.name));
    const drift = this.driftOf?.(definition.name);
    return drift ? { ...state, drift } : state;
  }

  connection(name: string): Connection | undefined {
    return this.#pool.get(name) ?? (this.#shares(name) ? this.#parent?.connection(name) : undefined);
  }

  /** The same, also where a fork was not given it. */
  anyConnection(name: string): Connection | undefined {
    return this.#pool.get(name) ?? this.#parent?.anyConnection(name);
  }

  connections(): readonly Connection[] {
    const shared = this.#parent ? this.#parent.connections().filter(({ name }) => this.#shares(name)) : [];
    return [...shared, ...this.#pool.connections];
  }

  /** What is written of the one of that name that runs, or would. */
  definition(name: string): ConfiguredServer | undefined {
    return this.#chosen.get(name) ?? (this.#shares(name) ? this.#parent?.definition(name) : undefined);
  }

  definitions(): readonly ConfiguredServer[] {
    return [...this.#loaded.servers, ...(this.#parent?.definitions() ?? [])];
  }

  on<Kind extends HostEvent>(kind: Kind, listener: (event: HostEvents[Kind]) => void): Disposable {
    return this.#events.on(kind, listener);
  }

  async settled(): Promise<void> {
    await this.#starting;
    await this.#connectors?.settled();
    await Promise.all(this.connections().map((connection) => connection.settled()));
  }

  async reconnect(name: string): Promise<ServerState | undefined> {
    const connection = this.connection(name);
    if (!connection) return this.server(name);
    const { hash } = connection.server;
    if (hash !== undefined) await Promise.all([this.dock.forgetEra(hash), this.dock.forgetSignIn(hash)]);
    // Away first: a call that is made now waits for it, and does not look for a tool in a list that was just forgotten.
    connection.start('user');
    await connection.catalog.forget();
    await connection.settled();
    return this.server(name);
  }

  disable(name: string): void {
    this.#switchedOff.add(name);
    this.#sync();
  }

  enable(name: string): void {
    this.#switchedOff.delete(name);
    this.#sync();
  }

  /** It shares servers of this one, may have some of its own, and closes only those. */
  fork(
    servers: SharedServers | undefined,
    { mayLack, ...more }: Pick<ForkOptions, 'isForEveryFolder' | 'mayLack'>,
  ): Fleet {
    if (servers && mayLack !== true) refuseUnknown(servers, this.servers());
    const { names, config } = sharedServers(servers);
    const child = new Fleet({
      loaded: { ...this.#loaded, servers: [], problems: [] },
      options: { ...this.#options, watch: false },
      ports: this.ports,
      dock: this.dock,
      parent: this,
      shared: names,
    });
    this.#children.add(child);
    if (config !== undefined) child.#starting = child.#add(config, { ...this.#loaded.context.options, ...more });
    return child;
  }

  /** Those who share a server hear of it as well. */
  emit<Kind extends HostEvent>(kind: Kind, event: HostEvents[Kind]): void {
    if (this.#early) this.#early.push(() => this.#events.emit(kind, event));
    else this.#events.emit(kind, event);
    for (const child of this.#children) {
      const name = 'server' in event ? event.server : 'name' in event ? event.name : undefined;
      if (typeof name !== 'string' || !child.#shares(name)) continue;
      child.emit(kind, event);
    }
  }

  /** Closes every server, politely first. Idempotent, never rejects. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#disposal ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#children].map((child) => child[Symbol.asyncDispose]()));
    await this.#starting;
    await (await this.#commands)?.[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
    if (this.#parent) this.#parent.#children.delete(this);
    else {
      await this.identities[Symbol.asyncDispose]();
      await this.dock[Symbol.asyncDispose]();
    }
  }

  /** Servers of its own, under the policies that hold for everybody. */
  async #add(config: string, options: ConfigOptions): Promise<void> {
    const { context } = this.#loaded;
    const loaded = await loadConfig({
      ...options,
      cwd: context.cwd,
      env: context.env,
      platform: context.platform,
      mcpConfig: [config],
      mcpServers: [],
      strict: true,
    });
    // Where an administrator has said which there are, those come instead: they are the parent's.
    this.#loaded = { ...loaded, servers: loaded.servers.filter(({ scope }) => scope === 'dynamic') };
    if (!this.#closing.signal.aborted) this.#sync();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const onChange = ({ loaded }: { readonly loaded: LoadedConfig }): void => this.#obey(loaded);
    await watchConfig(this.#options, onChange, { signal, loaded: this.#loaded });
  }

  #obey(loaded: LoadedConfig): void {
    const before = this.#chosen;
    this.#loaded = keepConnectors(this.#loaded, keepLastGood(this.#loaded, loaded));
    this.#sync();
    this.#connectors?.look(loaded);
    const gone = [...before.keys()].filter((name) => !this.#chosen.has(name));
    this.emit('config', { problems: loaded.problems, gone });
  }

  #asksForConnectors({ clock, wall }: Ports): void {
    const { signal } = this.#closing;
    const onAnswer = (loaded: LoadedConfig): void => {
      this.#obey(loaded);
      // What the account may use of them with another token is told by the server.
      const own = this.#pool.connections.filter(({ name }) => this.#chosen.get(name)?.scope === 'connectors');
      for (const { catalog } of own) void catalog.refresh();
    };
    const onProblem = (message: string): void => this.emit('problem', { message });
    this.#connectors = new ConnectorRefresh({ clock, wall, signal, onAnswer, onProblem });
    this.#connectors.look(this.#loaded);
  }

  #sync(): void {
    const { only, start } = this.#options;
    this.#chosen = chooseDefinitions(this.#loaded.servers);
    const pooled = toPooled(this.#account.of(this.#loaded), this.#chosen.values(), {
      isLazy: start === 'lazy',
      switchedOff: this.#switchedOff,
      credentialsFor: (server) => this.identities.credentialsFor(server),
    });
    const named = only && !this.#parent ? new Set(only) : undefined;
    const wanted = named ? pooled.filter(({ server }) => named.has(server.name)) : pooled;
    this.#pool.sync(wanted);
    this.retell();
  }

  /** Where a server is, as far as the pages go that it may send the user to. */
  pageOrigin(server: string): URL | undefined {
    const connection = this.connection(server);
    return connection && pageOrigin(connection.server.config);
  }

  #shares(name: string): boolean {
    return (this.#shared === undefined || this.#shared.has(name)) && !this.#pool.get(name);
  }

  /** What tools are called, or what may be shown of them, is different from now on: also for those who share them. */
  retell(): void {
    this.onTools?.();
    for (const child of this.#children) child.retell();
  }

  /** Of one that comes back in another shape its catalog tells what is different. */
  #retired(connection: Connection, isReplaced: boolean): void {
    const { name, catalog } = connection;
    this.#chain.retired(connection, isReplaced);
    const removed = isReplaced ? [] : catalog.tools.map((tool) => tool.name);
    if (removed.length > 0) this.emit('catalog', { server: name, list: 'tools', added: [], removed, changed: [] });
  }
}

interface FleetParts {
  readonly loaded: LoadedConfig;
  readonly options: HostOptions;
  readonly ports: Ports;
  readonly dock: Dock;
  readonly surroundings?: Surroundings;
  readonly parent?: Fleet;
  readonly shared?: ReadonlySet<string> | undefined;
}
