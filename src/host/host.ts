import type { SignIn, SignInOptions } from '../auth/sign-in.js';
import type { SignOut } from '../auth/sign-ins.js';
import { attempt } from '../base/attempt.js';
import { anything, listOption } from '../base/check-options.js';
import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import { type HostConfig, loadHostConfig } from '../config/load.js';
import type { Problem } from '../config/problem.js';
import type { Decision } from '../model/permissions/decision.js';
import { type Narrowing, readNarrowing } from '../model/permissions/narrowing.js';
import type { PermissionSettings } from '../model/permissions/settings.js';
import type { PermissionSubject } from '../model/permissions/subject.js';
import type { UnmatchedRule } from '../model/permissions/unmatched.js';
import type { Tool, ToolDefinition, ToolInput } from '../model/tool.js';
import { type Assembly, assemble } from './assembly.js';
import { checkForkOptions, checkHostOptions, checkListener, notByNew } from './options/check-host-options.js';
import { type CallOrder, callOrder } from './calls/call-order.js';
import { type DriftDetail, toDrift } from './calls/drift.js';
import type { ForeseenTool } from './calls/foresight.js';
import type { HostEvent, HostEvents } from './host-events.js';
import { HostConversations } from './host-conversations.js';
import { type HostInside, toInside } from './host-inside.js';
import type {
  CallResult,
  ForkOptions,
  HostOptions,
  InConversation,
  ProgramOptions,
  ToolRequest,
} from './host-options.js';
import { forkParts, type HostParts, openParts } from './host-parts.js';
import { type HostState, toHostState } from './host-state.js';
import { inside } from './inside.js';
import { serveCommands } from './commands/serve-commands.js';
import { openBrowserPage } from './sign-in/open-page.js';
import { type DefinitionOptions, readDefinition } from './read-definition.js';
import { inOptionWords, stateInOptionWords, toOptionWords } from './options/option-words.js';
import type { ServerState } from './servers/server-state.js';
import { type SetAsideTool, setAsideTools } from './set-aside-tools.js';
import { signIn, signOut } from './sign-in/sign-in.js';
import {
  type DefinedTool,
  type HostTool,
  readDefinitions,
  type ToolDefinitionsOptions,
} from './tools/tool-definitions.js';
import type { FoundDefinition } from './tools/tool-finder.js';
import { findUnmatched, findUnmatchedFlags, type KnownParts, type Unmatched } from './tools/unmatched.js';

/**
 * The connected servers of one configuration, and everything that can be called.
 *
 * A host has to be closed, because it owns processes and connections: write `await using host = await Host.open()` in
 * TypeScript or on Node 24, or `await host.close()` in a `finally`. While a host is open, the process does not exit.
 *
 * What it writes, below `$XDG_STATE_HOME/plugboard` (`~/.local/state/plugboard`) and `$XDG_CACHE_HOME/plugboard`:
 *
 * - `ledger/`: a line for every call and every turn of a model, without arguments and results. `results/`: what is too
 *   large for a model or for memory.
 * - state: approvals, sign-ins, logs of servers, a journal of running processes, a socket (option `socket: false`: none).
 * - cache: what servers listed, so that the next start knows it.
 *
 * To have it write elsewhere, pass `env` with other XDG folders. With `persist: false` it writes nothing: results are
 * truncated instead of saved, every start lists everything again, and sign-ins are neither kept nor found.
 */
export class Host extends HostConversations implements AsyncDisposable {
  readonly #base: HostParts;
  readonly #options: HostOptions;
  readonly #parts: Assembly;
  readonly #within: readonly Narrowing[];
  /** The socket for commands of other programs of this user. */
  readonly #commands: ReturnType<typeof serveCommands> | undefined;

  /**
   * Loads the configuration and begins to start its servers. Never rejects because of a server. Rejects with `usage` for
   * a misspelt option or one of the wrong type.
   */
  static async open(options: HostOptions = {}): Promise<Host> {
    checkHostOptions(options);
    return Host[inside](await loadHostConfig(options), { isCommandLine: false, ...options });
  }

  /**
   * A host over a configuration that was read already, for the terminal program: its errors name flags and commands.
   * @internal
   */
  static [inside](loaded: HostConfig, options: HostOptions, environment: ProgramOptions = {}): Host {
    const own = { isCommandLine: true, ...options };
    return new Host(openParts(loaded, own, environment), own, []);
  }

  private constructor(base: HostParts, options: HostOptions, narrowings: readonly Narrowing[]) {
    // Only a program without types gets here by `new`.
    if (!(Array.isArray as (value: unknown) => boolean)(narrowings)) throw notByNew();
    const parts = assemble(base, { ...options, within: narrowings });
    super(base, parts, options.isCommandLine === true);
    this.#base = base;
    this.#options = options;
    this.#within = narrowings;
    this.#parts = parts;
    const { servers, services } = base;
    const hears = !servers.isFork && (options.socket ?? options.watch !== false);
    this.#commands = hears ? serveCommands(servers, services.configuration.loaded.context.places.runtime) : undefined;
  }

  /**
   * What only the rooms `actions` and `gateway` may see.
   * @internal
   */
  get [inside](): HostInside {
    return toInside(this.#base, {
      parts: this.#parts,
      cost: (profile, options) => this.#parts.views.preview(profile, options, this.builtInDefinitions()),
    });
  }

  /** Problems in the configuration files. */
  get problems(): readonly Problem[] {
    const { problems } = this.#loaded;
    if (this.#isCommandLine) return problems;
    return problems.map((problem) => ({ ...problem, hint: toOptionWords(problem.hint) }));
  }

  /** Every definition found, strongest first, with its state. */
  servers(): readonly ServerState[] {
    return this.#base.servers.states((state) => this.#withDrift(state)).map((state) => this.#say(state));
  }

  /** The definition of this name that runs, or would run. */
  server(name: string): ServerState | undefined {
    const state = this.#base.servers.state(name);
    return state && this.#say(this.#withDrift(state));
  }

  #withDrift(state: ServerState): ServerState {
    const drift = this.#parts.pins.drift(state.name);
    return drift ? { ...state, drift: toDrift(drift) } : state;
  }

  /** Errors of servers name flags and commands on the command line, options and methods elsewhere. */
  #say(state: ServerState): ServerState {
    return this.#isCommandLine ? state : stateInOptionWords(state);
  }

  get #isCommandLine(): boolean {
    return this.#options.isCommandLine === true;
  }

  get #loaded(): HostConfig {
    return this.#base.services.configuration.loaded;
  }

  /** Everything that is known, as JSON, without secrets. */
  state(): HostState {
    return toHostState({
      servers: this.servers(),
      definitions: this.#base.servers.entries(),
      connections: this.#base.servers.all(),
      tools: this.#parts.names.tools,
      problems: this.problems,
    });
  }

  /** Calls the listener on every event of this kind, until the result is disposed of. */
  on<Kind extends HostEvent>(kind: Kind, listener: (event: HostEvents[Kind]) => void): Disposable {
    checkListener(kind, listener);
    return this.#base.events.on(kind, listener);
  }

  /** Resolves when all servers are known, the account's connectors included. Never rejects. */
  async configured(): Promise<void> {
    await this.#base.servers.configured();
  }

  /** Resolves when every server has listed what it offers or has failed, or when the signal aborts. Never rejects. */
  settled({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const settled = this.#base.servers.settled().then(() => this.#parts.pins.settled());
    return within(settled, { signal, instead: () => undefined });
  }

  /** Resolves when known definitions are compared with `mcp.lock`; pinned tools are hidden before. Never rejects. */
  compared(): Promise<void> {
    return this.#parts.pins.settled();
  }

  /** The tools of `tools()` with description and schemas, which are read from the cache or fetched. Never rejects. */
  tools(options: ToolDefinitionsOptions): Promise<readonly DefinedTool[]>;
  /** All known tools of servers, including servers that have not been started yet. */
  tools(): readonly HostTool[];
  tools(options?: ToolDefinitionsOptions): readonly HostTool[] | Promise<readonly DefinedTool[]> {
    for (const { catalog } of this.#base.servers.all()) catalog.refreshStale();
    const { tools } = this.#parts.names;
    return options?.definitions === true ? readDefinitions(this.#base.servers, tools, options) : tools;
  }

  /** The host's own tools, which are called like any other. */
  builtIns(): readonly Tool[] {
    return this.#parts.builtIns();
  }

  /** The full definition of a tool. */
  tool(name: string, options: DefinitionOptions = {}): Promise<ToolDefinition | undefined> {
    return readDefinition(this.#parts.lookup(name), options);
  }

  /** Calls a tool. Never rejects: a failure is a result. */
  call(request: ToolRequest): Promise<CallResult> {
    const { calls } = this.#parts;
    try {
      const refused = calls.refused(request);
      if (refused) return Promise.resolve(refused);
      const begun = calls.begin(request);
      if (begun instanceof Promise) return begun.catch((cause: unknown) => calls.broken(request, cause));
      return calls.run(begun).then(
        (result) => calls.end(begun, result),
        (cause: unknown) => calls.broken(request, cause),
      );
    } catch (cause) {
      return Promise.resolve(calls.unreadable(request, cause));
    }
  }

  /**
   * Makes the calls of one turn: those that only read run together, the others in order. Rejects with `usage` if the
   * requests are no list, and for nothing else.
   */
  async callAll(requests: readonly ToolRequest[]): Promise<readonly CallResult[]> {
    listOption(anything)(requests, 'requests');
    const { call } = this.inOrder();
    return Promise.all(requests.map((request) => call(request)));
  }

  /** Orders calls of a turn that arrive one by one: reads wait for earlier writes, a write for all earlier calls. */
  inOrder(): CallOrder {
    return callOrder(
      (request) => this.call(request),
      (request) => this.#parts.calls.isReading(request),
    );
  }

  /** Finds tools by words, best match first. */
  async search(query: string, limit = 10): Promise<readonly FoundDefinition[]> {
    return this.#parts.finder.find(query, limit);
  }

  /** Rules and hooks that match nothing known. */
  unmatched(): Unmatched {
    return findUnmatched(this.#known());
  }

  /** Rules from this run's flags or the embedder's options that match nothing known. */
  unmatchedFlags(): readonly UnmatchedRule[] {
    return findUnmatchedFlags(this.#known());
  }

  #known(): KnownParts {
    const { builtIns, subjects } = this.#parts;
    const tools = (): readonly PermissionSubject[] => [...this.tools(), ...builtIns()].map((tool) => subjects.of(tool));
    return { loaded: this.#loaded, tools, server: (name) => this.#base.servers.get(name) };
  }

  /** The current permission rules and modes. */
  get permissionSettings(): PermissionSettings {
    return this.#base.callServices.guard.settings;
  }

  /** The decision about a tool by rules, mode and hints, without asking the user. */
  permission(name: string): Decision | undefined {
    const tool = this.#parts.lookup(name);
    return tool && this.#base.callServices.guard.explain(this.#parts.subjects.of(tool));
  }

  /**
   * The decision that a call would meet, the definition compared with what the user allowed. With an input: the decision
   * about exactly this call, of the tool that `CallMcpTool` or `ReadMcpResource` names, in this conversation, whose user
   * the flow guard then takes to be askable. Hooks are not asked. Never rejects.
   */
  async foresee(name: string, input?: ToolInput, { conversation }: InConversation = {}): Promise<Decision | undefined> {
    const { calls, lookup, foresight } = this.#parts;
    const meant = input && attempt(() => calls.resolve({ name, input }));
    const tool = meant ? meant.tool : lookup(name);
    return tool && foresight.decision(tool, meant?.input, conversation);
  }

  /** Whether `ports.ask` is set. Without it, a call that needs a permission question is denied. */
  get canAsk(): boolean {
    return this.#base.services.ports.ask !== undefined;
  }

  /** A tool's current definition, compared with the one that the user allowed; or the server's error. Never rejects. */
  async lookAt(name: string): Promise<ForeseenTool | HostError | undefined> {
    const tool = this.#parts.lookup(name);
    return tool && this.#parts.foresight.compare(tool);
  }

  /** Records that the user accepts the tool's current definition. */
  acceptDefinition(name: string, looked: ForeseenTool): void {
    const tool = this.#parts.lookup(name);
    if (tool) this.#parts.foresight.accept(tool, looked);
  }

  /** How a server differs from `mcp.lock`, by name; undefined where it does not, or is not pinned. */
  drift(server: string): DriftDetail | undefined {
    return this.#parts.pins.drift(server);
  }

  /** The tools of servers that a model is not shown, and why. */
  setAside(): readonly SetAsideTool[] {
    return setAsideTools(this.#base.servers, this.#parts.pins);
  }

  /** Path of the socket for commands of other programs of this user; undefined where there is none. */
  async commandSocket(): Promise<string | undefined> {
    return (await this.#commands)?.path;
  }

  /** Restarts a server as if nothing were cached. Resolves with its state afterwards. */
  async reconnect(name: string): Promise<ServerState | undefined> {
    await this.#base.servers.get(name)?.reconnect();
    return this.server(name);
  }

  /** Begins a sign-in, and resolves with the user's next step. The server connects when it is done. Never rejects. */
  signIn(name: string, options: SignInOptions = {}): Promise<SignIn> {
    return signIn(this.#base, name, options);
  }

  /** Deletes the sign-in to a server, and revokes it where the authorization server can. Never rejects. */
  signOut(name: string): Promise<SignOut> {
    return signOut(this.#base, name);
  }

  /** Opens a page in the user's browser; false when that failed. Never rejects. */
  openUrl(url: string): Promise<boolean> {
    return openBrowserPage(this.#base.services.ports, this.#loaded, url);
  }

  /** Disables a server until this host closes. */
  disable(name: string): void {
    this.#base.servers.disable(name);
  }

  /** Lets a server run again that `disable` has disabled. */
  enable(name: string): void {
    this.#base.servers.enable(name);
  }

  /**
   * A host for a sub-agent: shares connections of this host, may have own servers, and closes only those. Throws
   * `config-invalid` for an invalid rule in `tools`, and `unknown-server` for an unknown name in `servers`.
   */
  fork(options: ForkOptions = {}): Host {
    checkForkOptions(options);
    const { tools } = options;
    const read = tools && readNarrowing(tools);
    if (read?.kind === 'fault') throw new HostError('config-invalid', read.reason, { hint: read.hint });
    const narrowings = read ? [...this.#within, read.narrowing] : this.#within;
    const own = { ...this.#options, tools: options.local ?? this.#options.tools ?? [] };
    return new Host(this.#fork(own, options), own, narrowings);
  }

  #fork(own: HostOptions, options: ForkOptions): HostParts {
    try {
      return forkParts(this.#base, own, options);
    } catch (error) {
      throw error instanceof HostError && !this.#isCommandLine ? inOptionWords(error) : error;
    }
  }

  /** Closes every server, gracefully first. Idempotent, never rejects. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { servers, services, callServices } = this.#base;
    const isRoot = !servers.isFork;
    if (isRoot) await callServices.endHooks();
    await (await this.#commands)?.[Symbol.asyncDispose]();
    this.#parts.views[Symbol.dispose]();
    // What calls have left to write is written while servers end, most of which take longer.
    if (isRoot) void callServices.ledger?.written();
    if (isRoot) await services.lanes[Symbol.asyncDispose]();
    await servers[Symbol.asyncDispose]();
    if (!isRoot) return;
    await services.identities[Symbol.asyncDispose]();
    await services.connectionFactory[Symbol.asyncDispose]();
    await callServices[Symbol.asyncDispose]();
  }
}
