import { unreachable } from '../../base/never.js';
import type { ViewChange } from './model-view-news.js';
import {
  type ServerSnapshot,
  type SetAside,
  type ViewedServer,
  type ViewedTool,
  viewTools,
} from './model-view-server.js';
import { type SystemText, toSystemText } from './model-view-system.js';
import type { ModelProfile } from '../profiles/profile.js';
import type { ToolDefinition } from '../tool.js';
import { defersTools, toTokenCount } from '../text/tokens.js';
import { CostBook, type ToolCost } from './tool-cost.js';

export interface BlockOptions {
  readonly profile: ModelProfile;
  readonly toolSearch: 'auto' | 'always' | 'never';
  readonly contextTokens: number;
  readonly builtIns: readonly ToolDefinition[];
  /** In the order of their names, and what was made of each. */
  readonly offers: readonly ServerSnapshot[];
  readonly viewed: readonly ViewedServer[];
}

/**
 * The tools of one conversation, as they were decided at its first turn. Which of them:
 *
 * - ToolSearch is there, and CallMcpTool where the API cannot defer, whatever `toolSearch` says: a server that connects
 *   late, or a tool that comes later, has no other way into a block that may not change. Only with `never` and without
 *   any server they are left out; what comes to such a conversation can be used by the next one.
 * - The tools for resources are there if a server has resources by then; later they come as any late tool does.
 * - Of the servers' tools all, or only those that are to be loaded always and, natively, the rest behind them as
 *   deferred. Never more than the API takes: what is beyond has to be looked for.
 */
export class ViewBlock {
  /** What became of the tools that are built in; those that the model is not shown are left out of it. */
  readonly builtIns: ViewedServer;
  /** What the API has no room for, in a conversation that has no search. */
  readonly beyond: readonly SetAside[] = [];
  readonly costs: CostBook;
  readonly system: string;
  readonly #profile: ModelProfile;
  readonly #system: SystemText;
  /** Everything that the block has, by name. */
  readonly #inside = new Map<string, ViewedTool>();
  readonly #loaded: ReadonlySet<string>;
  readonly #tools: object[];
  readonly #isSearching: boolean;
  readonly #canDefer: boolean;
  /** The tools for resources, as long as the block does not have them. */
  #resourceTools: readonly ViewedTool[];
  #block: readonly object[] | undefined;
  #late = 0;

  constructor(options: BlockOptions) {
    const { profile, offers } = options;
    this.#profile = profile;
    const all = viewTools(options.builtIns, profile, { server: undefined, alwaysLoad: true });
    const servers = inOrder(options.viewed.flatMap(({ tools }) => [...tools.values()]));
    this.#canDefer = canDefer(options, all);
    const chosen = [...all.tools.values()].filter(({ name }) => this.#isShown(name, offers));
    this.#resourceTools = [...all.tools.values()].filter(
      (tool) => RESOURCE_TOOLS.has(tool.name) && !chosen.includes(tool),
    );
    this.builtIns = { ...all, tools: new Map(chosen.map((tool) => [tool.name, tool])) };

    this.#isSearching = this.#canDefer && isSearching(options, [...chosen, ...servers]);
    const [loaded, deferred] = this.#share(chosen, servers);
    this.#loaded = new Set([...chosen, ...loaded].map(({ name }) => name));
    if (!this.#canDefer) this.beyond = deferred.splice(0).map((tool) => toBeyond(tool, profile));
    const tail = profile.defers === 'native' ? deferred : [];
    for (const tool of [...chosen, ...loaded, ...tail]) this.#inside.set(tool.name, tool);
    this.#tools = [
      ...[...chosen, ...loaded].map(({ tool }) => tool!),
      ...tail.map(({ tool }) => profile.toDeferred(tool!)),
    ];

    const canRead = chosen.some(({ name }) => RESOURCE_TOOLS.has(name));
    this.#system = toSystemText({ servers: offers, deferred, defers: profile.defers, canRead });
    this.system = this.#system.text;
    this.costs = new CostBook(loaded, toTokenCount(this.system.length));
  }

  /** What a request has under `tools`; the same array as long as nothing has joined its end. */
  get tools(): readonly object[] {
    this.#block ??= this.#profile.toBlock([...this.#tools]);
    return this.#block;
  }

  has(name: string): boolean {
    return this.#inside.has(name);
  }

  get(name: string): ViewedTool | undefined {
    return this.#inside.get(name);
  }

  isLoaded(name: string): boolean {
    return this.#loaded.has(name);
  }

  /** Takes up a tool that has come later; false when this conversation cannot use it. */
  add(tool: ViewedTool): boolean {
    if (this.#inside.has(tool.name)) return true;
    if (!this.#canDefer) return false;
    if (this.#profile.defers === 'by-call') return true;
    if (this.#late >= LATE_LIMIT) return false;
    this.#late++;
    this.#inside.set(tool.name, tool);
    this.#tools.push(this.#profile.toDeferred(tool.tool!));
    this.#block = undefined;
    return true;
  }

  /** A server has resources by now: their tools come as any late tool does; false if they cannot. */
  addResourceTools(): boolean {
    for (const tool of this.#resourceTools) this.add(tool);
    this.#resourceTools = [];
    return this.#canDefer || this.has('ListMcpResources');
  }

  builtInCosts(): readonly ToolCost[] {
    return Array.from(this.builtIns.tools.values(), ({ name, tokens }) => ({ name, tokens, load: 'always' }));
  }

  /** What a block and a system text that follow the change would have made a provider read again. */
  costOf(change: ViewChange): number {
    switch (change.kind) {
      case 'added':
      case 'back':
      case 'unreachable':
      case 'removed':
        return this.#costOfNames(change.names);
      case 'changed':
        return this.isLoaded(change.name) ? this.costs.afterTool(change.name) : 0;
      case 'instructions':
        return toTokenCount(this.#system.afterInstructions(change.server));
      case 'state':
      case 'resources':
        return toTokenCount(this.system.length);
      case 'other':
        return 0;
      default:
        return unreachable(change);
    }
  }

  /** The first of them is nearest to the beginning, and takes the rest along. */
  #costOfNames(names: readonly string[]): number {
    const inBlock = this.#isSearching ? names.filter((name) => this.isLoaded(name)) : names;
    if (inBlock.length > 0) return this.costs.afterTool(firstOf(inBlock));
    return toTokenCount(this.#system.afterName(firstOf(names)));
  }

  #isShown(name: string, offers: readonly ServerSnapshot[]): boolean {
    if (name === 'ToolSearch') return this.#canDefer;
    if (name === 'CallMcpTool') return this.#canDefer && this.#profile.defers === 'by-call';
    return !RESOURCE_TOOLS.has(name) || offers.some(({ hasResources }) => hasResources);
  }

  #share(builtIns: readonly ViewedTool[], servers: readonly ViewedTool[]): [ViewedTool[], ViewedTool[]] {
    const wanted = servers.filter((tool) => !this.#isSearching || tool.isAlwaysLoaded);
    const room = Math.max(0, this.#profile.toolLimit - builtIns.length);
    // Those that are to be loaded always go first, should there not be room for all.
    const favoured = wanted.length <= room ? wanted : wanted.toSorted(byFavour).slice(0, room);
    const loaded = new Set(favoured);
    return [servers.filter((tool) => loaded.has(tool)), servers.filter((tool) => !loaded.has(tool))];
  }
}

function canDefer({ profile, toolSearch, offers }: BlockOptions, builtIns: ViewedServer): boolean {
  if (!builtIns.tools.has('ToolSearch')) return false;
  if (profile.defers === 'by-call' && !builtIns.tools.has('CallMcpTool')) return false;
  return toolSearch !== 'never' || offers.length > 0;
}

function isSearching({ toolSearch, contextTokens }: BlockOptions, tools: readonly ViewedTool[]): boolean {
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  return defersTools(toolSearch, total, contextTokens);
}

function byFavour(one: ViewedTool, other: ViewedTool): number {
  return Number(other.isAlwaysLoaded) - Number(one.isAlwaysLoaded);
}

function firstOf(names: readonly string[]): string {
  return names.reduce((first, name) => (name < first ? name : first));
}

function toBeyond({ server, name }: ViewedTool, { toolLimit }: ModelProfile): SetAside {
  return {
    server,
    tool: name,
    reason: `The API takes at most ${toolLimit} tools, and this conversation has no search`,
  };
}

function inOrder(tools: readonly ViewedTool[]): ViewedTool[] {
  const unique = new Map<string, ViewedTool>();
  for (const tool of tools) if (!unique.has(tool.name)) unique.set(tool.name, tool);
  return [...unique.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** What a model reads resources with. */
export const RESOURCE_TOOLS: ReadonlySet<string> = new Set(['ListMcpResources', 'ReadMcpResource']);
const LATE_LIMIT = 5_000; // tools that may join one conversation; a server could go on for ever
