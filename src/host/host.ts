import { Emitter } from '../base/emitter.js';
import { HostError } from '../base/errors.js';
import type { ConfigOptions } from '../config/context.js';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import type { Problem } from '../config/problem.js';
import type { ConfiguredServer } from '../config/server.js';
import { watchConfig } from '../config/watch.js';
import type { Connection, StatusChange } from '../connection/connection.js';
import { Dock } from '../connection/dock.js';
import type { RemoteTool } from '../connection/remote-tool.js';
import { gateLine } from '../model/text-gate.js';
import { leftOf } from '../wire/deadline.js';
import { type CallOptions, type CallResult, callServer, failedCall } from './host-call.js';
import { type HostEvents, toReason } from './host-events.js';
import type { ForkOptions, HostOptions, Surroundings, ToolRequest } from './host-options.js';
import { type HostState, toHostState } from './host-state.js';
import { keepLastGood } from './keep-last-good.js';
import { obeyCommands } from './obey-commands.js';
import { chooseDefinitions, toPooled } from './pooled.js';
import { Pool } from './pool.js';
import { type Ports, withDefaults } from './ports.js';
import { type ServerState, toServerState, wordOf } from './server-state.js';
import { sharedServers } from './shared-servers.js';
import { type HostTool, ToolTable } from './tool-table.js';
import { unknownTool } from './unknown-tool.js';
import { untilTold, untoldOf } from './until-told.js';
import { connectTimeout, startLimit, toolTimeout } from './variables.js';

/** The servers of one configuration, kept alive: found, started, watched and called. Nothing of it outlives it. */
export class Host implements AsyncDisposable {
  readonly #options: HostOptions;
  readonly #ports: Ports;
  readonly #dock: Dock;
  readonly #pool: Pool;
  readonly #table: ToolTable;
  readonly #parent: Host | undefined;
  /** Of the parent's; undefined: all. */
  readonly #shared: ReadonlySet<string> | undefined;
  readonly #children = new Set<Host>();
  readonly #switchedOff = new Set<string>();
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
  /** Where other programs of this user reach it. */
  #commands: Promise<AsyncDisposable | undefined> | undefined;
  #disposal: Promise<void> | undefined;

  /** Loads the configuration and begins to start its servers. Never rejects because of one of them. */
  static async open(options: HostOptions = {}): Promise<Host> {
    return Host.over(await loadConfig(options), options);
  }

  /** A host over a configuration that was read already. */
  static over(loaded: LoadedConfig, options: HostOptions, surroundings: Surroundings = {}): Host {
    const { env, platform, cwd, places } = loaded.context;
    const ports = withDefaults(options.ports);
    const dock = new Dock({
      env,
      platform,
      cwd,
      state: places.state,
      cache: places.cache,
      clock: ports.clock,
      ...(options.embedded && { embedded: options.embedded }),
      control: surroundings.control,
      tap: surroundings.tap,
    });
    const host = new Host({ loaded, options, ports, dock, surroundings });
    if (options.watch !== false) ports.clock.soon(() => void host.#watch());
    if (options.socket ?? options.watch !== false) host.#commands = obeyCommands(host, places.runtime);
    return host;
  }

  private constructor({ loaded, options, ports, dock, surroundings = {}, parent, shared }: HostParts) {
    this.#loaded = loaded;
    this.#options = options;
    this.#ports = ports;
    this.#dock = dock;
    this.#parent = parent;
    this.#shared = shared;
    const { env, places } = loaded.context;
    this.#pool = new Pool({
      dock,
      clock: ports.clock,
      random: ports.random,
      timeoutMs: surroundings.connectTimeoutMs ?? connectTimeout(env),
      catalogs: places.cache === undefined ? undefined : `${places.cache}/catalogs`,
      localLimit: startLimit(env['MCP_SERVER_CONNECTION_BATCH_SIZE']),
      remoteLimit: startLimit(env['MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE']),
      onStatus: ({ name }, change) => this.#changed(name, change),
      onRetired: (connection, isReplaced) => this.#retired(connection, isReplaced),
      onCatalog: ({ name }, change) => this.#listed({ server: name, ...change }),
      onNote: ({ name }, note) => this.#emit('note', { server: name, ...note }),
    });
    this.#table = new ToolTable(
      () => this.#connections(),
      (server) => this.#isConnector(server),
    );
    this.#sync();
    ports.clock.soon(() => {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const tell of early) tell();
    });
  }

  /** What is wrong in the files. */
  get problems(): readonly Problem[] {
    return this.#loaded.problems;
  }

  /** Every definition that was found, strongest first, and what became of it. */
  servers(): readonly ServerState[] {
    const own = this.#loaded.servers.map((server) => {
      const isRunning = server === this.#definition(server.name);
      return toServerState(server, isRunning ? this.#pool.get(server.name) : undefined);
    });
    const shared = this.#parent?.servers().filter(({ name }) => this.#shares(name)) ?? [];
    return [...shared, ...own];
  }

  /** The one of that name that runs, or would. */
  server(name: string): ServerState | undefined {
    const definition = this.#definition(name);
    if (definition) return toServerState(definition, this.#pool.get(name));
    return this.#shares(name) ? this.#parent?.server(name) : undefined;
  }

  /** Its whole life, for what only that knows: its catalog, what it said last. */
  connection(name: string): Connection | undefined {
    return this.#pool.get(name) ?? (this.#shares(name) ? this.#parent?.connection(name) : undefined);
  }

  /** Everything that is known, as JSON: no secret in it. */
  state(): HostState {
    return toHostState({
      servers: this.servers(),
      definitions: this.definitions(),
      connections: this.#connections(),
      tools: this.tools(),
      problems: this.problems,
    });
  }

  on<Kind extends 'server' | 'catalog' | 'config' | 'note'>(
    kind: Kind,
    listener: (event: HostEvents[Kind]) => void,
  ): Disposable {
    return this.#events.on(kind, listener);
  }

  /** Resolves when every server is connected or is not going to be, and its lists are read. Never rejects. */
  async settled(): Promise<void> {
    await this.#starting;
    await Promise.all(this.#connections().map((connection) => connection.settled()));
  }

  /** All tools that are known, those of servers that have not been started yet included. */
  tools(): readonly HostTool[] {
    for (const { catalog } of this.#connections()) catalog.freshen();
    return this.#table.tools;
  }

  /** A tool in full. */
  async tool(name: string): Promise<RemoteTool | undefined> {
    const found = this.#table.lookup(name);
    return found && this.connection(found.server)?.catalog.tool(found.tool);
  }

  /** Calls a tool. Never rejects: what goes wrong is its result. */
  async call({ name, input = {}, ...options }: ToolRequest): Promise<CallResult> {
    const began = this.#ports.clock.monotonic();
    const late = this.#table.lookup(name) ? undefined : await this.#discover(name, options);
    if (late) return { ...NOBODY, name, ...failedCall('error', late) };
    const found = this.#table.lookup(name);
    const connection = found && this.connection(found.server);
    if (!found || !connection) return { ...NOBODY, name, ...failedCall('error', this.#unknownTool(name)) };
    const timeoutMs = leftOf(this.#timeout(connection, options), this.#ports.clock.monotonic() - began);
    const placed = { name, tool: found.tool, input };
    const result = await callServer({ connection, dock: this.#dock }, placed, { ...options, timeoutMs });
    // It waited for a server whose entry was edited meanwhile: another connection has taken its place.
    const isUnsent = result.attempts === 0 && result.error?.code === 'connection-closed' && !this.#disposal;
    const isOvertaken = isUnsent && (this.connection(found.server) ?? connection) !== connection;
    return isOvertaken ? this.call({ ...options, name, input, timeoutMs: leftOf(timeoutMs, result.ms) }) : result;
  }

  /** Whether a value is what a server's schema asks for. */
  get check(): Dock['check'] {
    return (schema, value) => this.#dock.check(schema, value);
  }

  /** From the beginning, as if nothing had ever been known of it. Resolves with what came of it. */
  async reconnect(name: string): Promise<ServerState | undefined> {
    const connection = this.connection(name);
    if (!connection) return this.server(name);
    const { hash } = connection.server;
    if (hash !== undefined) await this.#dock.forgetEra(hash);
    // Away first: a call that is made now waits for it, and does not look for a tool in a list that was just forgotten.
    connection.start('user');
    await connection.catalog.forget();
    await connection.settled();
    return this.server(name);
  }

  /** For as long as this host runs. */
  disable(name: string): void {
    this.#switchedOff.add(name);
    this.#sync();
  }

  enable(name: string): void {
    this.#switchedOff.delete(name);
    this.#sync();
  }

  /** A host for a sub-agent: it shares connections of this one, may have servers of its own, and closes only those. */
  fork({ servers }: ForkOptions = {}): Host {
    const { names, config } = sharedServers(servers);
    const { context } = this.#loaded;
    const child = new Host({
      loaded: { ...this.#loaded, servers: [], problems: [] },
      options: { ...this.#options, watch: false },
      ports: this.#ports,
      dock: this.#dock,
      parent: this,
      shared: names,
    });
    this.#children.add(child);
    if (config !== undefined) child.#starting = child.#add(config, { ...context.options });
    return child;
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
    else await this.#dock[Symbol.asyncDispose]();
  }

  /** Servers of its own, under the policies that hold for everybody. */
  async #add(config: string, options: ConfigOptions): Promise<void> {
    const { context } = this.#loaded;
    this.#loaded = await loadConfig({
      ...options,
      cwd: context.cwd,
      env: context.env,
      platform: context.platform,
      mcpConfig: [config],
      mcpServers: [],
      strict: true,
    });
    if (!this.#closing.signal.aborted) this.#sync();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const onChange = ({ loaded }: { readonly loaded: LoadedConfig }): void => {
      const before = this.#chosen;
      this.#loaded = keepLastGood(this.#loaded, loaded);
      this.#sync();
      const gone = [...before.keys()].filter((name) => !this.#chosen.has(name));
      this.#emit('config', { problems: loaded.problems, gone });
    };
    await watchConfig(this.#options, onChange, { signal, loaded: this.#loaded });
  }

  #sync(): void {
    const { only, start } = this.#options;
    this.#chosen = chooseDefinitions(this.#loaded.servers);
    const pooled = toPooled(this.#loaded, this.#chosen.values(), {
      isLazy: start === 'lazy',
      switchedOff: this.#switchedOff,
    });
    const wanted = only && !this.#parent ? pooled.filter(({ server }) => only.includes(server.name)) : pooled;
    this.#pool.sync(wanted);
    this.#forgetNames();
  }

  definitions(): readonly ConfiguredServer[] {
    return [...this.#loaded.servers, ...(this.#parent?.definitions() ?? [])];
  }

  #definition(name: string): ConfiguredServer | undefined {
    return this.#chosen.get(name);
  }

  #isConnector(name: string): boolean {
    const definition = this.#definition(name);
    if (definition || !this.#parent) return definition?.scope === 'connectors';
    return this.#parent.#isConnector(name);
  }

  #shares(name: string): boolean {
    return (this.#shared === undefined || this.#shared.has(name)) && !this.#pool.get(name);
  }

  #connections(): readonly Connection[] {
    const shared = this.#parent ? this.#parent.#connections().filter(({ name }) => this.#shares(name)) : [];
    return [...shared, ...this.#pool.connections];
  }

  /** Those who share its servers call them by the same names. */
  #forgetNames(): void {
    this.#table.clear();
    for (const child of this.#children) child.#forgetNames();
  }

  #changed(name: string, { before, after, event }: StatusChange): void {
    this.#forgetNames();
    const reason = toReason(event);
    const at = this.#ports.wall();
    // What goes well is not worth a line, unless something went wrong before.
    if ('error' in after || 'error' in before) {
      const told = gateLine(`${wordOf(before)} -> ${wordOf(after)}: ${reason}`, { limit: LOG_LIMIT }).text;
      this.#dock.log(name, `[${new Date(at).toISOString()} plugboard] ${told}`);
    }
    this.#emit('server', { name, before: wordOf(before), after: wordOf(after), reason, at });
  }

  /** Its entry was edited, or is gone. Of one that comes back in another shape its catalog tells what is different. */
  #retired({ name, status, catalog }: Connection, isReplaced: boolean): void {
    const reason = isReplaced ? 'its entry was changed' : 'it is no longer configured';
    this.#emit('server', { name, before: wordOf(status), after: 'disabled', reason, at: this.#ports.wall() });
    const removed = isReplaced ? [] : catalog.tools.map((tool) => tool.name);
    if (removed.length > 0) this.#emit('catalog', { server: name, list: 'tools', added: [], removed, changed: [] });
  }

  #listed(change: HostEvents['catalog']): void {
    this.#forgetNames();
    this.#emit('catalog', change);
  }

  /** Those who share a server hear of it as well. */
  #emit<Kind extends 'server' | 'catalog' | 'config' | 'note'>(kind: Kind, event: HostEvents[Kind]): void {
    if (this.#early) this.#early.push(() => this.#events.emit(kind, event));
    else this.#events.emit(kind, event);
    for (const child of this.#children) {
      const name = 'server' in event ? event.server : 'name' in event ? event.name : undefined;
      if (typeof name !== 'string' || !child.#shares(name)) continue;
      child.#emit(kind, event);
    }
  }

  /** A server that nobody has asked yet may have it, or one that has not told yet. Why that was not waited for, if so. */
  async #discover(name: string, options: CallOptions): Promise<HostError | undefined> {
    await this.#starting;
    const unasked = untoldOf(this.#connections(), name);
    const [first] = unasked;
    if (!first) return undefined;
    for (const connection of unasked) if (connection.status.kind === 'idle') connection.start('use');
    const { clock } = this.#ports;
    return untilTold(unasked, { clock, timeoutMs: this.#timeout(first, options), signal: options.signal });
  }

  #timeout({ server: { config } }: Connection, { timeoutMs }: CallOptions): number {
    return timeoutMs ?? config.timeout ?? toolTimeout(this.#loaded.context.env);
  }

  #unknownTool(name: string): HostError {
    if (this.#disposal) return new HostError('connection-closed', `Tool "${name}" is not called: its host is closed`);
    const tools = this.#table.tools.map((tool) => tool.name);
    return unknownTool(name, { tools, connections: this.#connections() });
  }
}

interface HostParts {
  readonly loaded: LoadedConfig;
  readonly options: HostOptions;
  readonly ports: Ports;
  readonly dock: Dock;
  readonly surroundings?: Surroundings;
  readonly parent?: Host;
  readonly shared?: ReadonlySet<string> | undefined;
}

const NOBODY = { server: undefined, tool: undefined, attempts: 0, ms: 0 } as const;

const LOG_LIMIT = 1_000;
