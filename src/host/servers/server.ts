import type { SignIn, SignInOptions } from '../../auth/sign-in.js';
import type { SignOut } from '../../auth/sign-ins.js';
import { HostError } from '../../base/errors.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { toUnavailableError } from '../../connection/unavailable.js';
import type { ToolAnswer, ToolOperation } from '../../connection/requests/call-tool.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { KeptServerResult } from '../../connection/kept-server-result.js';
import type { ServerLifecycleOptions } from '../../connection/server-lifecycle-options.js';
import type { ConnectionFactory } from '../../connection/connection-factory.js';
import type { Caller } from '../../model/caller.js';
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
}

export interface ServerOptions extends Omit<ServerLifecycleOptions, 'connectionFactory' | 'server' | 'serving'> {
  readonly entry: ConfiguredServer;
  readonly server: ServerLifecycleOptions['server'] & { readonly hash: string };
  readonly services: ServerServices;
  /** The host's own caller, as this server meets it; asked for once, by the first use. */
  readonly callerFor: (server: Server) => HostCaller;
}

/** One configured server: its entry, its life with its catalog (`Connection`), its tools as they can be called now, calls and sign-in. */
export class Server extends ServerLifecycle {
  readonly hash: string;
  readonly #services: ServerServices;
  readonly #callerFor: ServerOptions['callerFor'];
  #caller: HostCaller | undefined;
  #entry: ConfiguredServer;
  /** Stands in for the catalog while the user has to sign in; made once for each list that it stands beside. */
  #signInList: { readonly beside: object | undefined; readonly list: ToolList } | undefined;
  /** What tools promise to answer with, as far as it was looked up in this list. */
  #outputs: { readonly list: object; readonly schemas: Map<string, JsonSchema | undefined> } | undefined;
  #retired: { readonly successor: Server | undefined } | undefined;

  constructor({ entry, services, callerFor, ...options }: ServerOptions) {
    super({ ...options, connectionFactory: services.connectionFactory, serving: () => this.#toServing() });
    this.#callerFor = callerFor;
    this.hash = options.server.hash;
    this.#entry = entry;
    this.#services = services;
  }

  /** What is written of it, as it was read last. */
  get entry(): ConfiguredServer {
    return this.#entry;
  }

  /** The files were read again, and say nothing that would make it another server. */
  reread(entry: ConfiguredServer): void {
    this.#entry = entry;
  }

  /** Whom the server is opened for, and whom calls are made for that name no caller. */
  get caller(): HostCaller {
    return (this.#caller ??= this.#callerFor(this));
  }

  #toServing(): ReturnType<NonNullable<ServerLifecycleOptions['serving']>> {
    const { caller } = this;
    const { capabilities, onNotification } = caller;
    const declares = (other: Caller): Caller['capabilities'] => declaredTo(this, this.#services.configuration, other);
    return { opener: caller, capabilities, declares, onNotification };
  }

  /** The catalogue of connectors brings it: names of such servers are tidied further. */
  get isConnector(): boolean {
    return this.#entry.scope === 'connectors';
  }

  /** For a call that nobody has given an end. */
  get callTimeoutMs(): number {
    return this.server.config.timeout ?? this.#services.configuration.toolTimeoutMs;
  }

  /** Why nobody is there to call, and will not be. */
  get barrier(): HostError | undefined {
    const { status } = this;
    return status.kind === 'disabled' ? toUnavailableError(this.name, status) : undefined;
  }

  /** Where the server is, as far as the pages go that it may send the user to. */
  get pageOrigin(): URL | undefined {
    return pageOrigin(this.server.config);
  }

  /** What can be called as of now: what the server offers, or the way to sign in. The same object as long as nothing has changed. */
  get toolList(): ToolList {
    const { status, catalog } = this;
    if (status.kind === 'needs-auth') {
      return this.server.credentials?.canSignIn === true ? this.#toSignInList(undefined) : catalog;
    }
    const needsMore = status.kind === 'connected' && this.#services.identities.wantsMore(this.#entry);
    return needsMore && catalog.tools.every((tool) => tool.name !== AUTHENTICATE)
      ? this.#toSignInList(catalog)
      : catalog;
  }

  /** Whether that tool, which goes by the server's name, is this host's own. */
  isOwnTool(tool: string): boolean {
    return tool === AUTHENTICATE && this.toolList !== this.catalog;
  }

  /** A call of one of its tools, ready to be asked for; a promise where something has to be loaded or looked up before. */
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
    const { signal, onProgress, caller: owner = this.caller } = context;
    const { spill } = this.#services.connectionFactory;
    const kept = KeptServerResult.for(context);
    return { signal, onProgress, owner, spill, kept, output: schema && this.#toPromise(tool, schema, signal) };
  }

  /** A call went well: whoever was just signed in is let in. */
  called(carried: RetriedOutcome<ToolAnswer>): void {
    if (carried.outcome === 'ok' && !carried.result.isError && !carried.result.broken)
      this.#services.identities.worked(this.name);
  }

  /** The entry was edited, and another server has its name from now on; or nobody has. */
  retire(successor: Server | undefined): void {
    this.#retired = { successor };
  }

  /** Who has its name by now: itself, the server that an edit of its entry has put in its place, or nobody. */
  get current(): Server | undefined {
    return this.#retired ? this.#retired.successor?.current : this;
  }

  /** From the beginning, as if nothing had ever been known of it. Resolves when it is connected, or is not going to be. */
  async reconnect(): Promise<void> {
    const { connectionFactory } = this.#services;
    await Promise.all([connectionFactory.forgetEra(this.hash), connectionFactory.forgetSignIn(this.hash)]);
    // Away first: a call that is made now waits for it, and does not look for a tool in a list that was just forgotten.
    this.start('user');
    await this.catalog.forget();
    await this.settled();
  }

  /** Shows a page of the server's in the user's browser. False: nobody could. Never rejects. */
  openPage(url: string): Promise<boolean> {
    return openBrowserPage(this.#services.ports, this.#services.configuration.loaded, url);
  }

  /** Whether whoever embeds the host opens pages, and not only the system. */
  get opensPages(): boolean {
    return this.#services.ports.openUrl !== undefined;
  }

  /** Begins to sign in. Never rejects; when it is done, the server is connected by itself. */
  async signIn(options: SignInOptions): Promise<SignIn> {
    // Nobody is sent to the pages of a server that nobody has agreed to.
    const error = this.isClosed ? closedServer(this.name) : this.barrier;
    if (error) return { kind: 'failed', error };
    return this.#services.identities.signIn(this.#entry, { challenge: this.#challenge, ...options });
  }

  /** Forgets the sign-in, and has it revoked where that can be done. Never rejects. */
  async signOut(): Promise<SignOut> {
    if (this.isClosed) return { kind: 'failed', error: closedServer(this.name) };
    const end = await this.#services.identities.signOut(this.#entry);
    // It finds out by itself that nobody is signed in any more.
    if (end.kind === 'signed-out' && this.status.kind === 'connected') this.start('user');
    return end;
  }

  /** Somebody has signed in: a server that waits for that goes on, at once, so that whoever waits for the server then waits for this. */
  resumeSignedIn(): void {
    const { kind } = this.status;
    if (kind === 'needs-auth' || kind === 'failed') this.start('sign-in');
    void this.#services.connectionFactory.forgetSignIn(this.hash); // never rejects
  }

  /** What the server said when it refused a request. */
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

  /** The value where it is known, so that a call takes no turn of the event loop for it. */
  #outputSchemaOf(tool: string): JsonSchema | undefined | Promise<JsonSchema | undefined> {
    const known = this.#outputs?.list === this.catalog.toolColumns ? this.#outputs.schemas : undefined;
    const schema = known?.get(tool);
    return schema !== undefined || known?.has(tool) === true ? schema : this.#findOutputSchema(tool);
  }

  async #findOutputSchema(tool: string): Promise<JsonSchema | undefined> {
    const definition = await this.catalog.tool(tool);
    if (!definition) return undefined;
    // As it is by now: the definition may have had to be fetched.
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

  /** What was known may be of the version before: then the list is on its way. */
  async #currentOutput(
    tool: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly schema: JsonSchema | undefined } | undefined> {
    const { clock, catalog } = this;
    const limits = { kind: 'tools', clock, timeoutMs: LISTING_MS, signal } as const;
    if (catalog.isAwaited('tools') && (await waitForCatalogsOf([this], limits))) return undefined;
    return { schema: (await catalog.tool(tool))?.outputSchema };
  }
}

type OperationOptions = ConstructorParameters<typeof ToolOperation>[1];

/** Whatever was begun now nobody would end. */
export function closedServer(name: string): HostError {
  const shown = gateLine(name, { limit: 200 }).text;
  return new HostError('connection-closed', `"${shown}" is neither signed in to nor out of: its host is closed`);
}

const SCHEMA_LIMIT = 500; // tools of one server that a program really calls are far fewer
const LISTING_MS = 5_000; // the answer is there, and does not wait for long
