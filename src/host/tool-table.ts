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

/** While it is being made. */
type Entry = { -readonly [Field in keyof HostTool]: HostTool[Field] };

/** Every tool of every server under a name of its own. Made when somebody asks, and kept until a list changes. */
export class ToolTable {
  readonly #connections: () => readonly Connection[];
  readonly #isConnector: (server: string) => boolean;
  #made: Table | undefined;

  constructor(connections: () => readonly Connection[], isConnector: (server: string) => boolean) {
    this.#connections = connections;
    this.#isConnector = isConnector;
  }

  /** A list has changed, or a server has come or gone. */
  clear(): void {
    this.#made = undefined;
  }

  get tools(): readonly HostTool[] {
    return this.#table.tools;
  }

  lookup(name: string): { readonly server: string; readonly tool: string } | undefined {
    return this.#table.names.lookup(name);
  }

  nameOf(server: string, tool: string): string | undefined {
    return this.#table.names.nameOf(server, tool);
  }

  get #table(): Table {
    return (this.#made ??= this.#make());
  }

  #make(): Table {
    const entries: Entry[] = [];
    const connectors = new Set<string>();
    for (const { name: server, status, catalog } of this.#connections()) {
      // One that is switched off has nothing to offer, whatever is remembered of it.
      if (status.kind === 'disabled') continue;
      if (this.#isConnector(server)) connectors.add(server);
      const known = catalog.mapTools((tool, title, hints): Entry => ({ name: tool, title, hints, server, tool }));
      for (const entry of known) entries.push(entry);
    }
    const names = assignNames(entries, { connectors });
    let isWhole = true;
    for (let at = 0; at < entries.length; at++) {
      const name = names.names[at];
      if (name === undefined) isWhole = false;
      else entries[at]!.name = name;
    }
    return { names, tools: isWhole ? entries : entries.filter((_, at) => names.names[at] !== undefined) };
  }
}

interface Table {
  readonly names: NameTable<HostTool>;
  readonly tools: readonly HostTool[];
}
