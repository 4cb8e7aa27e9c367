import type { ListColumns } from '../../connection/catalog/cached-list.js';
import { bitsOf } from '../../connection/catalog/cached-list.js';
import { NamesInUse } from '../../model/view/names-in-use.js';
import { assignNames } from '../../model/view/names.js';
import { plainStarts, type ServerTools } from '../../model/view/plain-names.js';
import { transportKindOf } from '../../transports/kinds.js';
import type { Server } from './server.js';
import type { Servers } from './servers.js';
import { ServerTool } from './server-tool.js';

export interface ToolNamesOptions {
  readonly servers: Servers;
  /** The embedder's servers whose tools keep their own names, where those are free. */
  readonly unprefixed: readonly string[];
  /** Names that no tool of a server may get. */
  readonly reserved: () => readonly string[];
}

/** Every tool of every server, by the name that models know. Created on demand, and cached until a list changes. */
export class ToolNames {
  readonly #options: ToolNamesOptions;
  /** Names that models have been shown. */
  readonly #held = new NamesInUse();
  /** What is to be written into `#held`, from `at` on: ten thousand names would hold up the turn that shows them. */
  readonly #toHold: { readonly tools: readonly ServerTool[]; at: number }[] = [];
  #tools: readonly ServerTool[] | undefined;
  #byName: ReadonlyMap<string, ServerTool> | undefined;

  constructor(options: ToolNamesOptions) {
    this.#options = options;
    options.servers.onTools(() => {
      this.#tools = this.#byName = undefined;
    });
  }

  /** Reserves the names of tools that a model has been shown, against tools that come later. */
  hold(tools: readonly ServerTool[]): void {
    this.#toHold.push({ tools, at: 0 });
  }

  /** Writes some of what `hold` was given into the table. False when none is left. Names are made only after that. */
  holdSome(count = HELD_AT_ONCE): boolean {
    const first = this.#toHold[0];
    if (!first) return false;
    for (const { name, server, tool } of first.tools.slice(first.at, first.at + count)) {
      this.#held.hold(name, server, tool);
    }
    first.at += count;
    if (first.at >= first.tools.length) this.#toHold.shift();
    return this.#toHold.length > 0;
  }

  /** The same array until something changes. */
  get tools(): readonly ServerTool[] {
    return (this.#tools ??= this.#make());
  }

  get(name: string): ServerTool | undefined {
    this.#byName ??= new Map(this.tools.map((tool) => [tool.name, tool]));
    return this.#byName.get(name);
  }

  #make(): readonly ServerTool[] {
    while (this.holdSome(Infinity));
    const { unprefixed, reserved: reservedNames } = this.#options;
    // A disabled server offers nothing, even if its catalog is cached.
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

/** Whether a tool would get a reserved name, ignoring case. Lowercases only names with the length of a reserved one. */
function hasReserved(tools: readonly ServerTool[], reserved: readonly string[]): boolean {
  // Names of built-in tools do not begin with `mcp__`.
  const taken = new Set(reserved.filter((name) => name.startsWith('mcp__')).map((name) => name.toLowerCase()));
  if (taken.size === 0) return false;
  const lengths = new Set([...taken].map(({ length }) => length));
  return tools.some(({ name }) => lengths.has(name.length) && taken.has(name.toLowerCase()));
}

/**
 * The tools with plain names; undefined where a model knows one of them by another name, or another tool by one of
 * these names. With a function for each tool: this is the first pass over ten thousand of them, and V8 would compile a
 * loop around them, which takes longer than to run it.
 */
function plain(
  servers: readonly Server[],
  starts: readonly string[],
  held: NamesInUse,
): readonly ServerTool[] | undefined {
  const isFree = held.isEmpty;
  const parts: ServerTool[][] = [];
  for (const [index, server] of servers.entries()) {
    const { names, bits, labels } = columnsOf(server);
    const start = starts[index]!;
    if (!isFree && !names.every((tool) => held.allows(start + tool, server.name, tool))) return undefined;
    parts.push(names.map((tool, at) => new ServerTool(start + tool, tool, labels[at] || undefined, bits[at]!, server)));
  }
  return parts.length === 1 ? parts[0] : parts.flat();
}

/** Assigns names where some collide or are invalid. */
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
      return { server, tool, connector, prefix, title, bits: bits[at]!, owner };
    });
  });
  return Array.from(
    assignNames(entries, options).entries(),
    ([name, { tool, title, bits, owner }]) => new ServerTool(name, tool, title, bits, owner),
  );
}

interface ReadColumns extends Pick<ListColumns, 'names'> {
  readonly labels: readonly string[];
  readonly bits: Uint8Array;
}

function columnsOf({ toolList }: Server): ReadColumns {
  const { names, bits, labels } = toolList.toolColumns;
  return { names, bits: bitsOf(bits), labels: labels() };
}

const HELD_AT_ONCE = 500;
