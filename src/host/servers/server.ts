import type { SignIn, SignInOptions } from '../../auth/sign-in.js';
import type { SignOut } from '../../auth/sign-ins.js';
import { HostError } from '../../base/errors.js';
import type { QueueWaitOptions } from '../../connection/call-queue.js';
import type { Operation } from '../../connection/operation.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { toUnavailableError } from '../../connection/unavailable.js';
import type { ToolAnswer, ToolOperation } from '../../connection/requests/call-tool.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { KeptServerResult } from '../../connection/kept-server-result.js';
import { extrasOf } from '../../connection/requests/request-extras.js';
import type { ServerLifecycleOptions } from '../../connection/server-lifecycle-options.js';
import type { ConnectionFactory } from '../../connection/connection-factory.js';
import type { LaneServer, LaneUse } from '../../lanes/lane.js';
import type { Lanes } from '../../lanes/lanes.js';
import type { Caller } from '../../model/caller.js';
import type { DisabledReason, StartReason } from '../../model/status.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { CallContext, JsonSchema, ToolInput } from '../../model/tool.js';
import { AUTHENTICATE, authenticateList } from '../../tools/authenticate.js';
import type { ToolList } from '../../tools/tool-list.js';
import { openBrowserPage } from '../sign-in/open-page.js';
import { pageOrigin } from '../elicitation/page-origin.js';
import { declaredTo, type HostCaller } from '../host-caller.js';
import type { ServerCredentials } from '../sign-in/server-credentials.js';
import type { Ports } from '../ports.js';
import { waitForCatalogsOf } from '../calls/wait-for-catalog.js';
import type { Configuration } from './configuration.js';
import type { LazyToolCalls } from './lazy-tool-calls.js';

/** What the servers of a host share. */
export interface ServerServices {
  readonly ports: Ports;
  readonly connectionFactory: ConnectionFactory;
  readonly configuration: Configuration;
  readonly identities: ServerCredentials;
  readonly toolCalls: LazyToolCalls;
  readonly lanes: Lanes;
}

export interface ServerOptions extends Omit<ServerLifecycleOptions, 'connectionFactory' | 'server' | 'serving'> {
  readonly entry: ConfiguredServer;
  readonly server: ServerLifecycleOptions['server'] & { readonly hash: string };
  readonly services: ServerServices;
  /** Creates the host's own caller for this server; called once, on the first use. */
  readonly callerFor: (server: Server) => HostCaller;
}

/** One configured server: its entry, lifecycle and catalog, the tools that can be called now, calls and sign-in. */
export class Server extends ServerLifecycle {
  readonly hash: string;
  readonly #services: ServerServices;
  readonly #callerFor: ServerOptions['callerFor'];
  readonly #laneServer: LaneServer;
  readonly #ended = (): void => void this.#inFlight--;
  #inFlight = 0;
  #caller: HostCaller | undefined;
  #entry: ConfiguredServer;
  /** The list with the tool `authenticate`, in place of the catalog or added to it; cached for each catalog list. */
  #signInList: { readonly beside: object | undefined; readonly list: ToolList } | undefined;
  /** Output schemas of the tools in `list`, as far as they were looked up. */
  #outputs: { readonly list: object; readonly schemas: Map<string, JsonSchema | undefined> } | undefined;
  #retired: { readonly successor: Server | undefined } | undefined;

  constructor({ entry, services, callerFor, ...options }: ServerOptions) {
    super({ ...options, connectionFactory: services.connectionFactory, serving: () => this.#toServing() });
    this.#callerFor = callerFor;
    this.hash = options.server.hash;
    this.#entry = entry;
    this.#services = services;
    this.#laneServer = {
      name: this.name,
      line: { ...options, connectionFactory: services.connectionFactory },
      declares: (caller) => this.#declaredTo(caller),
      traits: () => this.catalog.traits,
      onListsChanged: (method, params) => {
        // Read again over its own line, which may not have been needed yet.
        if (this.status.kind === 'idle') this.start('use');
        this.catalog.onNotification(method, params);
      },
    };
  }

  /** The server's entry, as last read. */
  get entry(): ConfiguredServer {
    return this.#entry;
  }

  /** Takes the entry as read again, without a change that would make it another server. */
  reread(entry: ConfiguredServer): void {
    this.#entry = entry;
  }

  /** The caller that the connection is opened for, and of calls that name no caller. */
  get caller(): HostCaller {
    return (this.#caller ??= this.#callerFor(this));
  }

  #toServing(): ReturnType<NonNullable<ServerLifecycleOptions['serving']>> {
    const { caller } = this;
    const { capabilities, onNotification } = caller;
    return { opener: caller, capabilities, declares: (other) => this.#declaredTo(other), onNotification };
  }

  #declaredTo(caller: Caller): Caller['capabilities'] {
    return declaredTo(this, this.#services.configuration, caller);
  }

  /** The caller's own line to this server, for one request. Throws where there is no room for another. */
  useLane(caller: Caller): LaneUse {
    if (this.isClosed) throw new HostError('connection-closed', `Server "${this.name}" was closed`);
    return this.#services.lanes.use(this.#laneServer, caller);
  }

  /** The same for a watch or a task, which outlives its request. */
  holdLane(caller: Caller): LaneUse {
    if (this.isClosed) throw new HostError('connection-closed', `Server "${this.name}" was closed`);
    return this.#services.lanes.hold(this.#laneServer, caller);
  }

  /** Has the lanes know what the catalog knows of the tools. */
  toolsListed(): void {
    this.#services.lanes.learn(this.#laneServer);
  }

  /** Requests of callers with lanes that use this connection, or wait for it. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** As `ask`, for a caller with lanes: these share this connection where the server is modern. */
  askShared<Result>(
    operation: Operation<Result>,
    wait: QueueWaitOptions,
    began?: number,
  ): Promise<RetriedOutcome<Result>> {
    this.#inFlight++;
    const outcome = this.ask(operation, wait, began);
    void outcome.then(this.#ended); // never rejects
    return outcome;
  }

  override start(why: StartReason): void {
    // A user who has it started again wants nothing of before: its lanes end after their calls.
    if (why === 'user') this.#services.lanes.closeServer(this.#laneServer);
    super.start(why);
  }

  override disable(reason: DisabledReason): void {
    this.#services.lanes.closeServer(this.#laneServer);
    super.disable(reason);
  }

  override [Symbol.asyncDispose](): Promise<void> {
    this.#services.lanes.closeServer(this.#laneServer);
    return super[Symbol.asyncDispose]();
  }

  /** Whether the server is one of the account's connectors, whose names are simplified further. */
  get isConnector(): boolean {
    return this.#entry.scope === 'connectors';
  }

  /** Milliseconds for a call that sets no timeout. */
  get callTimeoutMs(): number {
    return this.server.config.timeout ?? this.#services.configuration.toolTimeoutMs;
  }

  /** The error for calls while the server is disabled. */
  get barrier(): HostError | undefined {
    const { status } = this;
    return status.kind === 'disabled' ? toUnavailableError(this.name, status) : undefined;
  }

  /** The server's origin, for the gate of URLs that it sends the user to. */
  get pageOrigin(): URL | undefined {
    return pageOrigin(this.server.config);
  }

  /** The tools that can be called now, `authenticate` included where needed. The same object until something is new. */
  get toolList(): ToolList {
    const { status, catalog } = this;
    if (status.kind === 'needs-auth') {
      return this.server.credentials?.canSignIn === true ? this.#toSignInList(undefined) : catalog;
    }
    return this.wantsMore && catalog.tools.every((tool) => tool.name !== AUTHENTICATE)
      ? this.#toSignInList(catalog)
      : catalog;
  }

  /** Whether the server wants a sign-in with further scopes for some of its tools. */
  get wantsMore(): boolean {
    return this.status.kind === 'connected' && this.#services.identities.wantsMore(this.#entry);
  }

  /** Whether the tool is the host's own `authenticate`, which is listed among the server's. */
  isOwnTool(tool: string): boolean {
    return tool === AUTHENTICATE && this.toolList !== this.catalog;
  }

  /** Creates the operation for a tool call; a promise where code or the output schema has to be loaded first. */
  toOperation(tool: string, input: ToolInput, context: CallContext): ToolOperation | Promise<ToolOperation> {
    const Operation = this.#services.toolCalls.loaded;
    const schema = this.#outputSchemaOf(tool);
    return Operation && !(schema instanceof Promise)
      ? new Operation({ tool, input }, this.#toOptions(tool, context, schema), this.catalog)
      : this.#toLaterOperation(tool, input, { context, schema });
  }

  async #toLaterOperation(
    tool: string,
    input: ToolInput,
    { context, schema }: { context: CallContext; schema: JsonSchema | undefined | Promise<JsonSchema | undefined> },
  ): Promise<ToolOperation> {
    const Operation = await this.#services.toolCalls.load();
    return new Operation({ tool, input }, this.#toOptions(tool, context, await schema), this.catalog);
  }

  #toOptions(tool: string, context: CallContext, schema: JsonSchema | undefined): OperationOptions {
    const { signal, onProgress, caller: owner = this.caller, isInMemory } = context;
    const spill = isInMemory === true ? undefined : this.#services.connectionFactory.spill;
    const kept = KeptServerResult.for(context);
    const extras = extrasOf(context);
    return { signal, onProgress, owner, spill, kept, extras, output: schema && this.#toPromise(tool, schema, signal) };
  }

  /** Reports the outcome of a call: a success resets the count of sign-ins in a row. */
  called(carried: RetriedOutcome<ToolAnswer>): void {
    if (carried.outcome === 'ok' && !carried.result.isError && !carried.result.broken)
      this.#services.identities.worked(this.name);
  }

  /** Called when the entry was edited or removed: `successor` takes the server's name, if there is one. */
  retire(successor: Server | undefined): void {
    this.#retired = { successor };
  }

  /** The server that has this name now: itself, its successor after an edit of the entry, or undefined. */
  get current(): Server | undefined {
    return this.#retired ? this.#retired.successor?.current : this;
  }

  /** Restarts the server as if nothing were cached. Resolves when it is connected, or has failed. */
  async reconnect(): Promise<void> {
    const { connectionFactory } = this.#services;
    await Promise.all([connectionFactory.forgetEra(this.hash), connectionFactory.forgetSignIn(this.hash)]);
    // Start first: calls made now wait for the server, and do not look for a tool in the emptied catalog.
    this.start('user');
    await this.catalog.forget();
    await this.settled();
  }

  /** Opens a page in the user's browser; false when that failed. Never rejects. */
  openPage(url: string): Promise<boolean> {
    return openBrowserPage(this.#services.ports, this.#services.configuration.loaded, url);
  }

  /** Whether the embedder opens pages, and not only the system. */
  get opensPages(): boolean {
    return this.#services.ports.openUrl !== undefined;
  }

  /** Begins a sign-in. The server connects when it is done. Never rejects. */
  async signIn(options: SignInOptions): Promise<SignIn> {
    // An unapproved server must not send the user to a page.
    const error = this.isClosed ? closedServer(this.name) : this.barrier;
    if (error) return { kind: 'failed', error };
    return this.#services.identities.signIn(this.#entry, { challenge: this.#challenge, ...options });
  }

  /** Deletes the sign-in, and revokes it where that is possible. Never rejects. */
  async signOut(): Promise<SignOut> {
    if (this.isClosed) return { kind: 'failed', error: closedServer(this.name) };
    const end = await this.#services.identities.signOut(this.#entry);
    // The new connection finds that the sign-in is gone.
    if (end.kind === 'signed-out' && this.status.kind === 'connected') this.start('user');
    return end;
  }

  /** Continues after a sign-in. Starts synchronously, so that callers that wait for the server wait for this start. */
  resumeSignedIn(): void {
    const { kind } = this.status;
    if (kind === 'needs-auth' || kind === 'failed') this.start('sign-in');
    this.#services.lanes.reopen(this.#laneServer);
    void this.#services.connectionFactory.forgetSignIn(this.hash); // never rejects
  }

  /** The `WWW-Authenticate` header of the refused request. */
  get #challenge(): string | undefined {
    const { status } = this;
    const detail = status.kind === 'needs-auth' ? status.error.detail : undefined;
    return detail?.kind === 'http' ? detail.challenge : undefined;
  }

  #toSignInList(beside: ToolList | undefined): ToolList {
    const known = this.#signInList;
    if (known && known.beside === beside?.toolColumns) return known.list;
    const list = authenticateList(this.name, beside);
    this.#signInList = { beside: beside?.toolColumns, list };
    return list;
  }

  /** Returns the schema itself where it is known, so that a call needs no promise for it. */
  #outputSchemaOf(tool: string): JsonSchema | undefined | Promise<JsonSchema | undefined> {
    const known = this.#outputs?.list === this.catalog.toolColumns ? this.#outputs.schemas : undefined;
    const schema = known?.get(tool);
    return schema !== undefined || known?.has(tool) === true ? schema : this.#findOutputSchema(tool);
  }

  async #findOutputSchema(tool: string): Promise<JsonSchema | undefined> {
    const definition = await this.catalog.tool(tool);
    if (!definition) return undefined;
    // Read after the `await`: fetching the definition may have replaced the list.
    const list = this.catalog.toolColumns;
    if (this.#outputs?.list !== list) this.#outputs = { list, schemas: new Map() };
    const { schemas } = this.#outputs;
    if (schemas.size >= SCHEMA_LIMIT) schemas.clear();
    schemas.set(tool, definition.outputSchema);
    return definition.outputSchema;
  }

  #toPromise(
    tool: string,
    schema: JsonSchema,
    signal: AbortSignal | undefined,
  ): NonNullable<OperationOptions['output']> {
    const { connectionFactory } = this.#services;
    return {
      schema,
      check: (wanted, value) => connectionFactory.check(wanted, value),
      current: () => this.#currentOutput(tool, signal),
    };
  }

  /** The output schema of the current list; the known one may be outdated. Undefined when the list takes too long. */
  async #currentOutput(
    tool: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly schema: JsonSchema | undefined } | undefined> {
    const { clock, catalog } = this;
    const limits = { kind: 'tools', clock, timeoutMs: LISTING_MS, signal } as const;
    if (catalog.isFetching('tools') && (await waitForCatalogsOf([this], limits))) return undefined;
    return { schema: (await catalog.tool(tool))?.outputSchema };
  }
}

type OperationOptions = ConstructorParameters<typeof ToolOperation>[1];

/** The error for a sign-in or sign-out on a closed host, where nothing would finish it. */
export function closedServer(name: string): HostError {
  const shown = gateLine(name, { limit: 200 }).text;
  return new HostError('connection-closed', `You cannot sign in to or out of "${shown}": its host is closed`);
}

const SCHEMA_LIMIT = 500; // a program calls far fewer tools of one server
const LISTING_MS = 5_000; // the response has arrived already and must not wait for long
