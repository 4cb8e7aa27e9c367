import { toTokenCount } from '../text/tokens.js';
import type { ViewBlock } from './model-view-block.js';
import type { ToldServer } from './told-server.js';

/** The tokens that tools and servers cost a model, and what changes would have cost besides. */
export interface CostReport {
  /** The context window that the conversation was planned for, in tokens. */
  readonly contextTokens: number;
  /** Definitions shown from the beginning, built-in ones included. */
  readonly loaded: number;
  /** Definitions that cost tokens once the model has searched for them. */
  readonly deferred: number;
  /** The whole system text, instructions included. */
  readonly system: number;
  /** The part of `system` that is servers' instructions. */
  readonly instructions: number;
  /** The host's own tools, each by itself. */
  readonly builtIns: readonly ToolCost[];
  /** Each server by itself. */
  readonly servers: readonly ServerCost[];
  /** Since the first turn, oldest first. */
  readonly changes: readonly ChangeCost[];
  /** Totals of all changes, including those no longer listed. */
  readonly changed: { readonly count: number; readonly tokens: number };
}

/** The tokens that the definition of a tool takes. */
export interface ToolCost {
  /** The name that the model knows. */
  readonly name: string;
  /** An estimate from the length of the definition. */
  readonly tokens: number;
  /** `deferred`: costs nothing until the model searches for the tool. */
  readonly load: 'always' | 'deferred';
}

/** The tokens that a server's tools and instructions take. */
export interface ServerCost {
  /** The name of the server. */
  readonly name: string;
  /** Tokens of definitions that are shown from the beginning. */
  readonly loaded: number;
  /** Tokens of definitions that the model has to search for. */
  readonly deferred: number;
  /** Tokens of the server's instructions. */
  readonly instructions: number;
  /** Each tool by itself. */
  readonly tools: readonly ToolCost[];
}

/** What a change since the first turn would have cost, had the prompt followed it. */
export interface ChangeCost {
  /** The first turn is 1. */
  readonly turn: number;
  /** What changed, in a clause. */
  readonly what: string;
  /** The tokens to read again, from the first changed byte to the end of the system text. */
  readonly tokens: number;
}

/** `block`: undefined before the first turn. */
export function toCostReport(
  told: ReadonlyMap<string, ToldServer>,
  block: ViewBlock | undefined,
  contextTokens: number,
): CostReport {
  const servers = [...told].map(([name, server]) => toServerCost(name, server, block));
  const builtIns = block?.builtInCosts() ?? [];
  return {
    contextTokens,
    loaded: sum([...builtIns.map(({ tokens }) => tokens), ...servers.map(({ loaded }) => loaded)]),
    deferred: sum(servers.map(({ deferred }) => deferred)),
    system: toTokenCount(block?.system.length ?? 0),
    instructions: sum(servers.map(({ instructions }) => instructions)),
    builtIns,
    servers: servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    changes: block?.costs.changes ?? [],
    changed: block?.costs.changed ?? { count: 0, tokens: 0 },
  };
}

function toServerCost(name: string, { viewed, instructions }: ToldServer, block: ViewBlock | undefined): ServerCost {
  const tools = Array.from(viewed.tools.values(), (tool): ToolCost => ({
    name: tool.name,
    tokens: tool.tokens,
    load: block?.isLoaded(tool.name) === true ? 'always' : 'deferred',
  }));
  const sumOf = (load: ToolCost['load']): number => sum(tools.map((tool) => (tool.load === load ? tool.tokens : 0)));
  return {
    name,
    loaded: sumOf('always'),
    deferred: sumOf('deferred'),
    instructions: toTokenCount(instructions.length),
    tools,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What the changes of a conversation would have cost, had the tool block and the system text followed them. */
export class CostBook {
  readonly #names: readonly string[];
  /** The tokens from each of these tools to the end of the system text. */
  readonly #rest: readonly number[];
  readonly #system: number;
  readonly #changes: ChangeCost[] = [];
  #count = 0;
  #tokens = 0;

  /** `tools`: the loaded tools of servers, in the order of the block. */
  constructor(tools: readonly { readonly name: string; readonly tokens: number }[], systemTokens: number) {
    this.#names = tools.map(({ name }) => name);
    const rest: number[] = [];
    let total = systemTokens;
    for (const { tokens } of tools.toReversed()) rest.push((total += tokens));
    this.#rest = rest.toReversed();
    this.#system = systemTokens;
  }

  /** The tokens after the place in the block where a tool of this name is, or would be. */
  afterTool(name: string): number {
    let from = 0;
    for (let to = this.#names.length; from < to;) {
      const middle = (from + to) >> 1;
      if (this.#names[middle]! < name) from = middle + 1;
      else to = middle;
    }
    return this.#rest[from] ?? this.#system;
  }

  add(change: ChangeCost): void {
    this.#count++;
    this.#tokens += change.tokens;
    this.#changes.push(change);
    if (this.#changes.length > CHANGES) this.#changes.shift();
  }

  get changes(): readonly ChangeCost[] {
    return [...this.#changes];
  }

  get changed(): { readonly count: number; readonly tokens: number } {
    return { count: this.#count, tokens: this.#tokens };
  }
}

const CHANGES = 200;
