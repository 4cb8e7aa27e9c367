import type { Connection } from '../connection/connection.js';
import { RESOURCE_TOOLS } from '../model/model-view-block.js';
import type { CallContext, Tool, ToolInput, ToolResult } from '../model/tool.js';
import type { ServerTool } from '../tools/server-tool.js';
import type { ToolList } from '../tools/tool-list.js';
import { kindOf } from '../transports/kinds.js';
import type { Fleet } from './fleet.js';
import { resourceServers } from './host-resources.js';
import type { ServerActs } from './server-acts.js';
import { type NamedServer, ToolTable } from './tool-table.js';

export interface RegistryOptions {
  readonly fleet: Fleet;
  /** In the order in which models are shown them. */
  readonly builtIns: readonly Tool[];
  /** Of these those of the program, which need no server to work with. */
  readonly local: readonly Tool[];
  /** Servers of the embedding program whose tools go by their own names. */
  readonly unprefixed: readonly string[];
  /** What is asked of servers besides tools: its names are no tool's. */
  readonly acts: Pick<ServerActs, 'names' | 'lookup'>;
  /** The tools that it has as of now. */
  readonly listOf: (connection: Connection) => ToolList;
  /** Whether a tool that stands among those of a server is ours. */
  readonly isOurs: (server: string, tool: string) => boolean;
  /** Contract: never rejects. */
  readonly call: (
    server: string,
    placed: { tool: string; input: ToolInput },
    context: CallContext,
  ) => Promise<ToolResult>;
}

/** Everything that can be called, by the name that a model knows it by. Nobody has to know whose it is. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #table: ToolTable;
  readonly #builtIns: ReadonlyMap<string, Tool>;
  readonly #sources = new WeakMap<Connection, NamedServer>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#builtIns = new Map(options.builtIns.map((tool) => [tool.name, tool]));
    this.#table = new ToolTable(
      () => this.#servers(),
      () => [...this.#builtIns.keys(), ...options.acts.names],
    );
  }

  /** A list has changed, or a server has come or gone. */
  clear(): void {
    this.#table.clear();
  }

  /** A model knows them by these names: they keep them, whoever comes later. */
  hold(tools: Iterable<ServerTool>): void {
    this.#table.hold(tools);
  }

  get serverTools(): ToolTable['tools'] {
    return this.#table.tools;
  }

  lookup(name: string): Tool | undefined {
    return this.#builtIns.get(name) ?? this.#table.lookup(name) ?? this.#options.acts.lookup(name);
  }

  /** Those that have something to work with. */
  get builtIns(): readonly Tool[] {
    const { fleet, builtIns, local } = this.#options;
    const running = fleet.connections().filter(({ status }) => status.kind !== 'disabled');
    if (running.length === 0) return local;
    const hasResources = resourceServers(running).length > 0;
    return hasResources ? builtIns : builtIns.filter(({ name }) => !RESOURCE_TOOLS.has(name));
  }

  #servers(): readonly NamedServer[] {
    // One that is switched off has nothing to offer, whatever is remembered of it.
    return this.#options.fleet
      .connections()
      .filter(({ status }) => status.kind !== 'disabled')
      .map((connection) => this.#sourceOf(connection));
  }

  #sourceOf(connection: Connection): NamedServer {
    const known = this.#sources.get(connection);
    if (known) return known;
    const { fleet, unprefixed, call, listOf, isOurs } = this.#options;
    const { name: server } = connection;
    const { config } = connection.server;
    const source: NamedServer = {
      server,
      get list() {
        return listOf(connection);
      },
      isOurs: (tool) => isOurs(server, tool),
      alwaysLoad: config.alwaysLoad === true,
      isConnector: fleet.definition(server)?.scope === 'connectors',
      isUnprefixed: unprefixed.includes(server) && kindOf(config).origin === 'embedder',
      call: (tool, input, context) => call(server, { tool, input }, context),
    };
    this.#sources.set(connection, source);
    return source;
  }
}
