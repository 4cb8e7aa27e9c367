import { unreachable } from '../../base/never.js';
import type { ViewChange } from './model-view-news.js';
import type { ServerSnapshot, SetAside, ViewedServer, ViewedTool } from './model-view-server.js';
import { SKILL_TOOL } from './skill-names.js';
import { type SystemText, toSystemText } from './model-view-system.js';
import { BlockRoom } from './block-room.js';
import { ServerViewing, sortTools } from './server-viewing.js';
import type { ModelProfile } from '../profiles/profile.js';
import type { ToolDefinition } from '../tool.js';
import { defersTools, toTokenCount } from '../text/tokens.js';
import { CostBook, type ToolCost } from './tool-cost.js';

export interface BlockOptions {
  readonly profile: ModelProfile;
  readonly toolSearch: 'auto' | 'always' | 'never';
  readonly contextTokens: number;
  /** How much definitions may take of a request. */
  readonly toolBytes: number;
  readonly builtIns: readonly ToolDefinition[];
  /** In the order of their names; `viewed` has the view of each. */
  readonly offers: readonly ServerSnapshot[];
  readonly viewed: readonly ViewedServer[];
  /** Tools of servers in the API's form, by name; without those whose definitions are not at hand. */
  readonly toolsOf: (tools: readonly ViewedTool[]) => ReadonlyMap<string, object>;
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
 *   supports that. Never more than the API accepts, nor more bytes than a request may have: the others have to be
 *   searched for.
 * - Where the API can defer and the rest has no room, none of it is in the block: a tool joins the end, deferred, when a
 *   search has found it. There is always room left for that.
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
  readonly #room: BlockRoom;
  /** All tools in the block, by name. */
  readonly #inside = new Map<string, ViewedTool>();
  readonly #loaded: ReadonlySet<string>;
  readonly #tools: object[];
  readonly #isSearching: boolean;
  readonly #canDefer: boolean;
  /** The tools for resources and for skills, until they are added. */
  readonly #unadded = new Map<string, { readonly viewed: ViewedTool; readonly tool: object }>();
  #hasSkillTool: boolean;
  #block: readonly object[] | undefined;
  #late = 0;

  constructor(options: BlockOptions) {
    const { profile, offers } = options;
    this.#profile = profile;
    const { viewed: all, tools: own } = viewBuiltIns(options.builtIns, profile);
    const servers = inOrder(options.viewed);
    this.#canDefer = canDefer(options, all);
    const chosen = [...all.tools.values()].filter(({ name }) => this.#isShown(name, offers));
    for (const viewed of all.tools.values()) {
      const isLate = RESOURCE_TOOLS.has(viewed.name) || viewed.name === SKILL_TOOL;
      if (isLate && !chosen.includes(viewed)) this.#unadded.set(viewed.name, { viewed, tool: own.get(viewed.name)! });
    }
    this.builtIns = { ...all, tools: new Map(chosen.map((tool) => [tool.name, tool])) };

    this.#isSearching = this.#canDefer && isSearching(options, tokensOf(chosen) + tokensOf(servers));
    const isJoining = this.#canDefer && profile.defers === 'native';
    this.#room = new BlockRoom({ bytes: options.toolBytes, count: profile.toolLimit, leavesRoom: isJoining });
    this.#room.take(chosen);
    const [loaded, deferred] = this.#share(servers);
    const tail = isJoining && this.#room.hasFor(deferred) ? deferred : [];
    this.#room.take(tail);
    const found = options.toolsOf([...loaded, ...tail]);
    const isFound = ({ name }: ViewedTool): boolean => found.has(name);
    const shown = loaded.filter(isFound);
    if (shown.length < loaded.length) deferred.push(...loaded.filter((tool) => !isFound(tool)));
    this.#loaded = new Set([...chosen, ...shown].map(({ name }) => name));
    if (!this.#canDefer) this.beyond = deferred.splice(0).map((tool) => toBeyond(tool, this.#room));
    for (const tool of [...chosen, ...shown, ...tail.filter(isFound)]) this.#inside.set(tool.name, tool);
    this.#tools = [
      ...chosen.map(({ name }) => own.get(name)!),
      ...shown.map(({ name }) => found.get(name)!),
      ...tail.filter(isFound).map(({ name }) => profile.toDeferred(found.get(name)!)),
    ];

    const canRead = chosen.some(({ name }) => RESOURCE_TOOLS.has(name));
    this.#hasSkillTool = chosen.some(({ name }) => name === SKILL_TOOL);
    const can = { canRead, canUseSkills: this.#hasSkillTool };
    this.#system = toSystemText({ servers: offers, deferred, defers: profile.defers, ...can });
    this.system = this.#system.text;
    this.costs = new CostBook(shown, toTokenCount(this.system.length));
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
  reaches(tool: ViewedTool): boolean {
    if (this.#inside.has(tool.name)) return true;
    if (!this.#canDefer) return false;
    return this.#profile.defers === 'by-call' || this.#room.hasForFound(tool);
  }

  /** Whether late tools, all together, are to join the block now; else each joins when a search has found it. */
  takesNow(tools: readonly ViewedTool[]): boolean {
    if (!this.#canDefer || this.#profile.defers === 'by-call') return false;
    return this.#late + tools.length <= LATE_LIMIT && this.#room.hasFor(tools);
  }

  /** Whether a tool that a search has found joins the block, where it does not stand yet. */
  takesFound(tool: ViewedTool): boolean {
    return this.#profile.defers === 'native' && !this.#inside.has(tool.name) && this.reaches(tool);
  }

  /** Adds a tool at the end, deferred. Call it only if one of the two above says so. */
  join(viewed: ViewedTool, tool: object): void {
    this.#late++;
    this.#inside.set(viewed.name, viewed);
    this.#room.take([viewed]);
    this.#tools.push(this.#profile.toDeferred(tool));
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
    const late = this.#unadded.get(name);
    this.#unadded.delete(name);
    if (!late || !this.reaches(late.viewed)) return false;
    if (this.#profile.defers === 'native') this.join(late.viewed, late.tool);
    return true;
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

  /** Those that every turn loads, and the rest. */
  #share(servers: readonly ViewedTool[]): [ViewedTool[], ViewedTool[]] {
    const wanted = servers.filter((tool) => !this.#isSearching || tool.isAlwaysLoaded);
    // If there is no room for all, those that are always loaded go first.
    const favoured = this.#room.hasFor(wanted) ? wanted : wanted.toSorted(byFavour);
    const loaded = new Set(this.#room.takeFitting(favoured));
    if (loaded.size === 0) return [[], servers.slice()];
    return [servers.filter((tool) => loaded.has(tool)), servers.filter((tool) => !loaded.has(tool))];
  }
}

/** The host's own tools, with their definitions in the API's form. */
function viewBuiltIns(
  definitions: readonly ToolDefinition[],
  profile: ModelProfile,
): { readonly viewed: ViewedServer; readonly tools: ReadonlyMap<string, object> } {
  const names = definitions.map(({ name }) => name);
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const read = (wanted: readonly string[]): ToolDefinition[] => wanted.map((name) => byName.get(name)!);
  const offer = { name: '', alwaysLoad: true, names: () => names, definitions: read };
  const viewing = new ServerViewing(offer, profile, { server: undefined, alwaysLoad: true });
  viewing.finish();
  return { viewed: viewing.viewed, tools: viewing.toolsNamed([...viewing.viewed.tools.keys()]) };
}

function canDefer({ profile, toolSearch, offers }: BlockOptions, builtIns: ViewedServer): boolean {
  if (!builtIns.tools.has('ToolSearch')) return false;
  if (profile.defers === 'by-call' && !builtIns.tools.has('CallMcpTool')) return false;
  return toolSearch !== 'never' || offers.length > 0;
}

function isSearching({ toolSearch, contextTokens }: BlockOptions, tokens: number): boolean {
  return defersTools(toolSearch, tokens, contextTokens);
}

function tokensOf(tools: readonly ViewedTool[]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0);
}

function byFavour(one: ViewedTool, other: ViewedTool): number {
  return Number(other.isAlwaysLoaded) - Number(one.isAlwaysLoaded);
}

function firstOf(names: readonly string[]): string {
  return names.reduce((first, name) => (name < first ? name : first));
}

function toBeyond({ server, name }: ViewedTool, { limitText }: BlockRoom): SetAside {
  return { server, tool: name, reason: `${limitText}, and this conversation has no search` };
}

/** The tools of all servers in the order of their names; of two with one name the first. */
function inOrder(viewed: readonly ViewedServer[]): readonly ViewedTool[] {
  const lists = viewed.map(({ sorted }) => sorted).filter(({ length }) => length > 0);
  lists.sort(([one], [other]) => (one!.name < other!.name ? -1 : 1));
  const isApart = lists.every((list, at) => at === 0 || lists[at - 1]!.at(-1)!.name < list[0]!.name);
  // With their server in front, names of two servers do not mix: sorting fifty thousand again takes 20 ms.
  if (isApart) return lists.length === 1 ? lists[0]! : (lists[0]?.concat(...lists.slice(1)) ?? []);
  const unique = new Map<string, ViewedTool>();
  for (const { sorted } of viewed) for (const tool of sorted) if (!unique.has(tool.name)) unique.set(tool.name, tool);
  return sortTools(unique.values());
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
