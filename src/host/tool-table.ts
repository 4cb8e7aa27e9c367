import type { ToolSummary } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import { toHints } from '../connection/fetch-list.js';
import { bitsAt } from '../connection/known-list.js';
import { assignNames } from '../model/names.js';
import { plainStarts, type ServerTools } from '../model/plain-names.js';

/** A tool as the host knows it without having looked at its schema. */
export interface HostTool extends ToolSummary {
  /** As the model knows it; `tool` is how its server spells it. */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
}

/** Every tool of every server under a name of its own. Made when somebody asks, and kept until a list changes. */
export class ToolTable {
  readonly #connections: () => readonly Connection[];
  readonly #isConnector: (server: string) => boolean;
  #tools: readonly HostTool[] | undefined;
  #byName: ReadonlyMap<string, HostTool> | undefined;

  constructor(connections: () => readonly Connection[], isConnector: (server: string) => boolean) {
    this.#connections = connections;
    this.#isConnector = isConnector;
  }

  /** A list has changed, or a server has come or gone. */
  clear(): void {
    this.#tools = this.#byName = undefined;
  }

  get tools(): readonly HostTool[] {
    return (this.#tools ??= this.#make());
  }

  lookup(name: string): HostTool | undefined {
    this.#byName ??= new Map(this.tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  #make(): readonly HostTool[] {
    // One that is switched off has nothing to offer, whatever is remembered of it.
    const connections = this.#connections().filter(({ status }) => status.kind !== 'disabled');
    const servers = connections.map(({ name: server, catalog }) => {
      return { server, connector: this.#isConnector(server), tools: catalog.toolColumns.names };
    });
    const starts = plainStarts(servers);
    return starts ? plain(connections, starts) : contested(connections, servers);
  }
}

/** Where each tool can have its name. In one loop: there may be ten thousand, and this is the first that is done with them. */
function plain(connections: readonly Connection[], starts: readonly string[]): readonly HostTool[] {
  const tools: HostTool[] = [];
  for (const [index, { name: server, catalog }] of connections.entries()) {
    const { toolColumns } = catalog;
    const { names, bits } = toolColumns;
    const labels = toolColumns.labels();
    const start = starts[index]!;
    for (let at = 0; at < names.length; at++) {
      const tool = names[at]!;
      tools.push({
        name: start + tool,
        title: labels[at] || undefined,
        hints: toHints(bitsAt(bits, at)),
        server,
        tool,
      });
    }
  }
  return tools;
}

/** Where some want the same name, or one that is none. */
function contested(connections: readonly Connection[], servers: readonly ServerTools[]): readonly HostTool[] {
  const entries = connections.flatMap(({ catalog }, at) => {
    const { server, connector } = servers[at]!;
    return catalog.tools.map((summary) => ({ server, tool: summary.name, connector, summary }));
  });
  return Array.from(assignNames(entries).entries(), ([name, { server, tool, summary }]) => {
    return { name, title: summary.title, hints: summary.hints, server, tool };
  });
}
