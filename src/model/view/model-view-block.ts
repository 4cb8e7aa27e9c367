import { unreachable } from '../../base/never.js';
import type { ViewChange } from './model-view-news.js';
import {
  type ServerSnapshot,
  type SetAside,
  type ViewedServer,
  type ViewedTool,
  viewTools,
} from './model-view-server.js';
import { SKILL_TOOL } from './skill-names.js';
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
  /** In the order of their names; `viewed` has the view of each. */
  readonly offers: readonly ServerSnapshot[];
  readonly viewed: readonly ViewedServer[];
}

/**
 * The tools of one conversation, decided at its first turn:
 *
 * - ToolSearch, and CallMcpTool where the API cannot defer, are present whatever `toolSearch` says: a server that
 *   connects late or a tool that appears later has no other way into a block that may not change. They are left out
 *   only with `never` and without any server; tools that come later can then be used by the next conversation.
 * - The tools for resources are present if a server has resources by then; later they are added like any late tool.
 *   So is the tool for skills.
 * - Of the servers' tools either all, or only the always loaded ones, followed by the rest as deferred where the API
 *   supports that. Never more than the API accepts: the others have to be searched for.
 */
export class ViewBlock {
  /** The built-in tools, without those that the model is not shown. */
  readonly builtIns: ViewedServer;
  /** The tools beyond the API's limit, in a conversation without search. */
  readonly beyond: readonly SetAside[] = [];
  readonly costs: CostBook;
  readonly system: string;
  readonly #profile: ModelProfile;
  readonly #system: SystemText;
  /** All tools in the block, by name. */
  readonly #inside = new Map<string, ViewedTool>();
  readonly #loaded: ReadonlySet<string>;
  readonly #tools: object[];
  readonly #isSearching: boolean;
  readonly #canDefer: boolean;
  /** The tools for resources and for skills, until they are added. */
  readonly #unadded = new Map<string, ViewedTool>();
  #hasSkillTool: boolean;
  #block: readonly object[] | undefined;
  #late = 0;

  constructor(options: BlockOptions) {
    const { profile, offers } = options;
    this.#profile = profile;
    const all = viewTools(options.builtIns, profile, { server: undefined, alwaysLoad: true });
    const servers = inOrder(options.viewed.flatMap(({ tools }) => [...tools.values()]));
    this.#canDefer = canDefer(options, all);
    const chosen = [...all.tools.values()].filter(({ name }) => this.#isShown(name, offers));
    for (const tool of all.tools.values()) {
      const isLate = RESOURCE_TOOLS.has(tool.name) || tool.name === SKILL_TOOL;
      if (isLate && !chosen.includes(tool)) this.#unadded.set(tool.name, tool);
    }
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
    this.#hasSkillTool = chosen.some(({ name }) => name === SKILL_TOOL);
    const can = { canRead, canUseSkills: this.#hasSkillTool };
    this.#system = toSystemText({ servers: offers, deferred, defers: profile.defers, ...can });
    this.system = this.#system.text;
    this.costs = new CostBook(loaded, toTokenCount(this.system.length));
  }

  /** The request's `tools`; the same array until a tool is added at its end, or a caller changes it. */
  get tools(): readonly object[] {
    const block = this.#profile.toBlock([...this.#tools]);
    // A caller may have added tools of its own to the array, which would be in there twice after the next turn.
    if (!isSame(this.#block, block, NESTED)) this.#block = block;
    return this.#block!;
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

  /** Whether the model can search for tools, and definitions be left out for that. */
  get canSearch(): boolean {
    return this.#canDefer;
  }

  /** Whether this conversation can use the tool. */
  reaches(name: string): boolean {
    return this.#inside.has(name) || (this.#canDefer && this.#profile.defers === 'by-call');
  }

  /** Adds a late tool; false when this conversation cannot use it. */
  add(tool: ViewedTool): boolean {
    if (this.#inside.has(tool.name)) return true;
    if (!this.#canDefer) return false;
    if (this.#profile.defers === 'by-call') return true;
    if (this.#late >= LATE_LIMIT) return false;
    this.#late++;
    this.#inside.set(tool.name, tool);
    this.#tools.push(this.#profile.toDeferred(tool.tool!));
    return true;
  }

  /** Called once a server has resources: adds their tools like any late tool; false if impossible. */
  addResourceTools(): boolean {
    for (const name of RESOURCE_TOOLS) this.#addLate(name);
    return this.#canDefer || this.has('ListMcpResources');
  }

  /** Whether the model can call the tool for skills, in the block or by name. */
  get hasSkillTool(): boolean {
    return this.#hasSkillTool;
  }

  /** Called once a server has skills: adds the tool that reads them; false if it is denied, or cannot be added. */
  addSkillTool(): boolean {
    this.#hasSkillTool ||= this.#addLate(SKILL_TOOL);
    return this.#hasSkillTool;
  }

  #addLate(name: string): boolean {
    const tool = this.#unadded.get(name);
    this.#unadded.delete(name);
    return tool !== undefined && this.add(tool);
  }

  builtInCosts(): readonly ToolCost[] {
    return Array.from(this.builtIns.tools.values(), ({ name, tokens }) => ({ name, tokens, load: 'always' }));
  }

  /** The tokens that a provider would have had to read again, had the block and system text followed the change. */
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
      case 'skills':
        return toTokenCount(this.system.length);
      case 'other':
        return 0;
      default:
        return unreachable(change);
    }
  }

  /** The first name is nearest to the beginning, so everything after it would change. */
  #costOfNames(names: readonly string[]): number {
    const inBlock = this.#isSearching ? names.filter((name) => this.isLoaded(name)) : names;
    if (inBlock.length > 0) return this.costs.afterTool(firstOf(inBlock));
    return toTokenCount(this.#system.afterName(firstOf(names)));
  }

  #isShown(name: string, offers: readonly ServerSnapshot[]): boolean {
    if (name === 'ToolSearch') return this.#canDefer;
    if (name === 'CallMcpTool') return this.#canDefer && this.#profile.defers === 'by-call';
    if (name === SKILL_TOOL) return offers.some(({ skills = [] }) => skills.length > 0);
    return !RESOURCE_TOOLS.has(name) || offers.some(({ hasResources }) => hasResources);
  }

  #share(builtIns: readonly ViewedTool[], servers: readonly ViewedTool[]): [ViewedTool[], ViewedTool[]] {
    const wanted = servers.filter((tool) => !this.#isSearching || tool.isAlwaysLoaded);
    const room = Math.max(0, this.#profile.toolLimit - builtIns.length);
    // If there is no room for all, those that are always loaded go first.
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

/** Whether two blocks hold the same tools. The list of tools may itself be in an object. */
function isSame(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return true;
  if (depth === 0 || typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  const [values, others] = [Object.values(one) as unknown[], Object.values(other) as unknown[]];
  return values.length === others.length && values.every((value, at) => isSame(value, others[at], depth - 1));
}

const NESTED = 3; // Gemini's block is a list with one object that has the list of tools

/** The tools by which a model reads resources. */
export const RESOURCE_TOOLS: ReadonlySet<string> = new Set(['ListMcpResources', 'ReadMcpResource']);
const LATE_LIMIT = 5_000; // late tools in one conversation; a server could add tools for ever
