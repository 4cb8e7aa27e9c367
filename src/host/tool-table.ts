import type { ToolSummary } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import { assignNames, type NameTable } from '../model/names.js';

/** A tool as the host knows it without having looked at its schema. */
export interface HostTool extends ToolSummary {
  /** As the model knows it; `tool` is how its server spells it. */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
}

interface Entry {
  readonly server: string;
  readonly tool: string;
  readonly summary: ToolSummary;
  readonly connector?: boolean;
}

/** Every tool of every server under a name of its own. Made when somebody asks, and kept until a list changes. */
export class ToolTable {
  readonly #connections: () => readonly Connection[];
  readonly #isConnector: (server: string) => boolean;
  #names: NameTable<Entry> | undefined;
  #tools: readonly HostTool[] | undefined;

  constructor(connections: () => readonly Connection[], isConnector: (server: string) => boolean) {
    this.#connections = connections;
    this.#isConnector = isConnector;
  }

  /** A list has changed, or a server has come or gone. */
  clear(): void {
    this.#names = this.#tools = undefined;
  }

  get tools(): readonly HostTool[] {
    return (this.#tools ??= [...this.#table.entries()].map(([name, { server, tool, summary }]) => ({
      ...summary,
      name,
      server,
      tool,
    })));
  }

  lookup(name: string): { readonly server: string; readonly tool: string } | undefined {
    return this.#table.lookup(name);
  }

  nameOf(server: string, tool: string): string | undefined {
    return this.#table.nameOf(server, tool);
  }

  get #table(): NameTable<Entry> {
    return (this.#names ??= assignNames(
      this.#connections()
        // One that is switched off has nothing to offer, whatever is remembered of it.
        .filter(({ status }) => status.kind !== 'disabled')
        .flatMap(({ name: server, catalog }) => {
          const connector = this.#isConnector(server);
          return catalog.tools.map((summary): Entry => ({ server, tool: summary.name, summary, connector }));
        }),
    ));
  }
}
