import type { Columns } from '../connection/known-list.js';
import { bitsAt } from '../connection/known-list.js';
import { HeldNames } from '../model/held-names.js';
import { assignNames } from '../model/names.js';
import { plainStarts, type ServerTools } from '../model/plain-names.js';
import { ServerTool, type ServerToolSource } from '../tools/server-tool.js';

/** A server as far as its tools' names are concerned. */
export interface NamedServer extends ServerToolSource {
  /** Its name comes from the connector catalogue. */
  readonly isConnector: boolean;
  /** Its tools go by their own names, where those are free. */
  readonly isUnprefixed: boolean;
}

/** Every tool of every server under a name of its own. Made when somebody asks, and kept until a list changes. */
export class ToolTable {
  readonly #servers: () => readonly NamedServer[];
  /** Names that no server can have. */
  readonly #reserved: () => readonly string[];
  /** What models call them by. */
  readonly #held = new HeldNames();
  #tools: readonly ServerTool[] | undefined;
  #byName: ReadonlyMap<string, ServerTool> | undefined;

  constructor(servers: () => readonly NamedServer[], reserved: () => readonly string[]) {
    this.#servers = servers;
    this.#reserved = reserved;
  }

  /** A list has changed, or a server has come or gone. */
  clear(): void {
    this.#tools = this.#byName = undefined;
  }

  /** A model knows them by these names now. */
  hold(tools: Iterable<ServerTool>): void {
    for (const { name, server, tool } of tools) this.#held.hold(name, server, tool);
  }

  get tools(): readonly ServerTool[] {
    return (this.#tools ??= this.#make());
  }

  lookup(name: string): ServerTool | undefined {
    this.#byName ??= new Map(this.tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  #make(): readonly ServerTool[] {
    const servers = this.#servers();
    const named = servers.map(({ server, isConnector, list }): ServerTools => {
      return { server, connector: isConnector, tools: list.toolColumns.names };
    });
    const reserved = this.#reserved();
    const isContested = servers.some(({ isUnprefixed }) => isUnprefixed);
    const starts = isContested ? undefined : plainStarts(named);
    const held = this.#held;
    const plainly = starts && plain(servers, starts, held);
    return plainly && !hasReserved(plainly, reserved) ? plainly : contested(servers, { reserved, held });
  }
}

/** Whether a tool wants a name that none can have, in whatever case. Only names of the right length are written in small letters. */
function hasReserved(tools: readonly ServerTool[], reserved: readonly string[]): boolean {
  // Those of built-in tools begin otherwise.
  const taken = new Set(reserved.filter((name) => name.startsWith('mcp__')).map((name) => name.toLowerCase()));
  const lengths = new Set([...taken].map(({ length }) => length));
  return tools.some(({ name }) => lengths.has(name.length) && taken.has(name.toLowerCase()));
}

/**
 * Where each tool can have its name; undefined where a model knows one of them by another, or another by one of these. In one loop:
 * there may be ten thousand, and this is the first that is done with them.
 */
function plain(
  servers: readonly NamedServer[],
  starts: readonly string[],
  held: HeldNames,
): readonly ServerTool[] | undefined {
  const isFree = held.isEmpty;
  const tools: ServerTool[] = [];
  for (const [index, server] of servers.entries()) {
    const { names, bits, labels } = columnsOf(server);
    const start = starts[index]!;
    for (let at = 0; at < names.length; at++) {
      const tool = names[at]!;
      const name = start + tool;
      if (!isFree && !held.allows(name, server.server, tool)) return undefined;
      tools.push(new ServerTool(name, tool, labels[at] || undefined, bitsAt(bits, at), server));
    }
  }
  return tools;
}

/** Where some want the same name, or one that is none. */
function contested(
  servers: readonly NamedServer[],
  options: { readonly reserved: readonly string[]; readonly held: HeldNames },
): readonly ServerTool[] {
  const entries = servers.flatMap((source) => {
    const { server, isConnector: connector, isUnprefixed } = source;
    const { names, bits, labels } = columnsOf(source);
    return names.map((tool, at) => {
      const title = labels[at] || undefined;
      return { server, tool, connector, prefix: !isUnprefixed, title, bits: bitsAt(bits, at), source };
    });
  });
  return Array.from(
    assignNames(entries, options).entries(),
    ([name, { tool, title, bits, source }]) => new ServerTool(name, tool, title, bits, source),
  );
}

function columnsOf({ list }: NamedServer): Pick<Columns, 'names' | 'bits'> & { readonly labels: readonly string[] } {
  const { names, bits, labels } = list.toolColumns;
  return { names, bits, labels: labels() };
}
