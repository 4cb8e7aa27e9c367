import type { ListColumns } from '../../connection/catalog/cached-list.js';
import { bitsAt } from '../../connection/catalog/cached-list.js';
import { NamesInUse } from '../../model/view/names-in-use.js';
import { assignNames } from '../../model/view/names.js';
import { plainStarts, type ServerTools } from '../../model/view/plain-names.js';
import { transportKindOf } from '../../transports/kinds.js';
import type { Server } from './server.js';
import type { Servers } from './servers.js';
import { ServerTool } from './server-tool.js';

export interface ToolNamesOptions {
  readonly servers: Servers;
  /** Servers of the embedding program whose tools go by their own names, where those are free. */
  readonly unprefixed: readonly string[];
  /** Names that no tool of a server can have. */
  readonly reserved: () => readonly string[];
}

/** Every tool of every server, under the name that models know it by. Made when somebody asks, and kept until a list changes. */
export class ToolNames {
  readonly #options: ToolNamesOptions;
  /** What models call them by. */
  readonly #held = new NamesInUse();
  #tools: readonly ServerTool[] | undefined;
  #byName: ReadonlyMap<string, ServerTool> | undefined;

  constructor(options: ToolNamesOptions) {
    this.#options = options;
    options.servers.onTools(() => {
      this.#tools = this.#byName = undefined;
    });
  }

  /** A model knows them by these names: they keep them, whoever comes later. */
  hold(tools: Iterable<ServerTool>): void {
    for (const { name, server, tool } of tools) this.#held.hold(name, server, tool);
  }

  /** The same list as long as nothing has changed. */
  get tools(): readonly ServerTool[] {
    return (this.#tools ??= this.#make());
  }

  get(name: string): ServerTool | undefined {
    this.#byName ??= new Map(this.tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  #make(): readonly ServerTool[] {
    const { unprefixed, reserved: reservedNames } = this.#options;
    // One that is switched off has nothing to offer, whatever is remembered of it.
    const servers = this.#options.servers.all().filter(({ status }) => status.kind !== 'disabled');
    const isUnprefixed = ({ name, server }: Server): boolean =>
      unprefixed.includes(name) && transportKindOf(server.config).origin === 'embedder';
    const reserved = reservedNames();
    const isContested = servers.some(isUnprefixed);
    const starts = isContested ? undefined : plainStarts(servers.map(toServerTools));
    const held = this.#held;
    const plainly = starts && plain(servers, starts, held);
    if (plainly && !hasReserved(plainly, reserved)) return plainly;
    return contested(servers, { reserved, held, isUnprefixed });
  }
}

function toServerTools({ name: server, isConnector: connector, toolList }: Server): ServerTools {
  return { server, connector, tools: toolList.toolColumns.names };
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
  servers: readonly Server[],
  starts: readonly string[],
  held: NamesInUse,
): readonly ServerTool[] | undefined {
  const isFree = held.isEmpty;
  const tools: ServerTool[] = [];
  for (const [index, server] of servers.entries()) {
    const { names, bits, labels } = columnsOf(server);
    const start = starts[index]!;
    for (let at = 0; at < names.length; at++) {
      const tool = names[at]!;
      const name = start + tool;
      if (!isFree && !held.allows(name, server.name, tool)) return undefined;
      tools.push(new ServerTool(name, tool, labels[at] || undefined, bitsAt(bits, at), server));
    }
  }
  return tools;
}

/** Where some want the same name, or one that is none. */
function contested(
  servers: readonly Server[],
  {
    isUnprefixed,
    ...options
  }: {
    readonly reserved: readonly string[];
    readonly held: NamesInUse;
    readonly isUnprefixed: (server: Server) => boolean;
  },
): readonly ServerTool[] {
  const entries = servers.flatMap((owner) => {
    const { name: server, isConnector: connector } = owner;
    const prefix = !isUnprefixed(owner);
    const { names, bits, labels } = columnsOf(owner);
    return names.map((tool, at) => {
      const title = labels[at] || undefined;
      return { server, tool, connector, prefix, title, bits: bitsAt(bits, at), owner };
    });
  });
  return Array.from(
    assignNames(entries, options).entries(),
    ([name, { tool, title, bits, owner }]) => new ServerTool(name, tool, title, bits, owner),
  );
}

function columnsOf({ toolList }: Server): Pick<ListColumns, 'names' | 'bits'> & { readonly labels: readonly string[] } {
  const { names, bits, labels } = toolList.toolColumns;
  return { names, bits, labels: labels() };
}
