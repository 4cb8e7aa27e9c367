import { toNoRoom } from './block-room.js';
import { ViewBlock } from './model-view-block.js';
import { toNews, type UnlistedChange, type ViewChange, toHeadline } from './model-view-news.js';
import {
  type Repaired,
  type ServerSnapshot,
  type SetAside,
  toolsIn,
  toolsOf,
  type ViewedServer,
  type ViewedTool,
  viewServer,
} from './model-view-server.js';
import { skillChange } from './model-view-skills.js';
import { changesSinceStart } from './retold-changes.js';
import { changesWhileAway, readTold, type ToldSnapshot, toToldSnapshot } from './told-snapshot.js';
import { isOut, stateChange, type ToldServer, toTold } from './told-server.js';
import type { ModelCallResult, ModelProfile } from '../profiles/profile.js';
import { toMatches } from '../profiles/result-parts.js';
import type { ToolDefinition } from '../tool.js';
import { CONTEXT_TOKENS, TOOL_BYTES } from '../text/tokens.js';
import { type CostReport, toCostReport } from './tool-cost.js';
import { toShownBlock } from './to-shown-block.js';
import type { ShownBlock } from '../value/shown-block.js';

export interface ModelSnapshot {
  /** In the order in which a model is shown them. */
  readonly builtIns: readonly ToolDefinition[];
  readonly servers: readonly ServerSnapshot[];
}

export interface ModelViewOptions {
  readonly profile: ModelProfile;
  /** Whether definitions are shown only when searched for; `auto`: when they would fill a tenth of the context. */
  readonly toolSearch: 'auto' | 'always' | 'never';
  readonly contextTokens?: number;
  /** How many bytes the definitions of a request may have. Default: a million. */
  readonly toolBytes?: number;
  /** What the model knew of the servers when the conversation was left: `told` of an earlier view. */
  readonly known?: unknown;
}

/** The parts of a request to the model. */
export interface ModelExport {
  /** The request's `tools`. The same array until a tool is added at its end. */
  readonly tools: readonly object[];
  /** A section of the system prompt; constant for the whole conversation, empty if there is nothing to say. */
  readonly system: string;
  /** To be sent once, with the next message; undefined when nothing is new. */
  readonly news: string | undefined;
  readonly setAside: readonly SetAside[];
  readonly repairs: readonly Repaired[];
}

/**
 * The tools of one conversation with one model. What the model has read never changes by a byte, which keeps the
 * provider's prompt cache: the first turn decides; later changes are reported in the news, and later tools are appended
 * to the block as deferred, or called by name.
 */
export class ModelView {
  readonly #profile: ModelProfile;
  readonly #toolSearch: 'auto' | 'always' | 'never';
  readonly #contextTokens: number;
  readonly #toolBytes: number;
  readonly #servers = new Map<string, ToldServer>();
  /** Removed tools that the model knows, with their servers; the oldest are dropped. */
  readonly #gone = new Map<string, string>();
  /** Instructions of servers that are gone: the model still reads them, and follows them when the server is back. */
  readonly #left = new Map<string, string>();
  /** What the first turn told: in the block and in the system text, which stay. */
  #first: ReadonlyMap<string, ToldServer> = new Map();
  readonly #known: ToldSnapshot | undefined;
  #block: ViewBlock | undefined;
  #shown: ShownBlock | undefined;
  #turns = 0;
  #changed: ReadonlyMap<string, number> = NOTHING_CHANGED;
  /** Undefined until it is counted again. */
  #leftOut: number | undefined;

  constructor({
    profile,
    toolSearch,
    contextTokens = CONTEXT_TOKENS,
    toolBytes = TOOL_BYTES,
    known,
  }: ModelViewOptions) {
    this.#known = readTold(known);
    this.#toolBytes = toolBytes;
    this.#profile = profile;
    this.#toolSearch = toolSearch;
    this.#contextTokens = contextTokens;
  }

  turn(snapshot: ModelSnapshot): ModelExport {
    this.#turns++;
    const block = this.#block;
    if (block === undefined) return this.#begin(snapshot);
    const changes = this.#changesSince(snapshot, block);
    const { text, unreported } = toNews(changes, { defers: this.#profile.defers });
    for (const change of unreported) this.#takeBack(change);
    const waiting = new Set<ViewChange>(unreported);
    const changed = new Map<string, number>();
    for (const change of changes) {
      if (waiting.has(change)) continue;
      const tokens = block.costOf(change);
      block.costs.add({ turn: this.#turns, what: toHeadline(change), tokens });
      changed.set(change.server, Math.max(tokens, changed.get(change.server) ?? 0));
    }
    this.#changed = changed;
    return this.#export(block, text);
  }

  /**
   * For each server whose changes the last turn told: the tokens that would have been read again, from its first change
   * on, had the block followed it.
   */
  get changed(): ReadonlyMap<string, number> {
    return this.#changed;
  }

  /** What every turn of the conversation sends, which its first turn has decided. Undefined before that. */
  get shown(): ShownBlock | undefined {
    const block = this.#block;
    if (!block) return undefined;
    return (this.#shown ??= toShownBlock(block, this.#first, {
      profile: this.#profile.name,
      contextTokens: this.#contextTokens,
      toolSearch: this.#toolSearch,
    }));
  }

  /**
   * All that only news have told, and that still holds: for a conversation whose older messages are replaced. Call it
   * after `turn`, with the same snapshot.
   */
  retell({ servers }: ModelSnapshot): string | undefined {
    const block = this.#block;
    if (!block) return undefined;
    const offers = new Map(servers.map((offer) => [offer.name, offer]));
    const changes = changesSinceStart(this.#first, this.#servers, {
      block,
      definitionsOf: (server) => {
        const offer = offers.get(server);
        const isSame = offer?.revision === this.#servers.get(server)?.revision;
        return offer && isSame ? (names) => toolsIn(offer, this.#profile, names) : () => new Map();
      },
    });
    const { text, unreported } = toNews(changes, { defers: this.#profile.defers, since: 'start' });
    for (const change of unreported) this.#takeBack(change);
    return text;
  }

  /** What the model knows of the servers by now, as JSON: for a conversation that goes on later. */
  told(): ToldSnapshot {
    return toToldSnapshot(this.#servers);
  }

  /** The server of a removed tool that the model knows. */
  isGone(name: string): { readonly server: string } | undefined {
    const server = this.#gone.get(name);
    return server === undefined ? undefined : { server };
  }

  /** The server of a tool that the model knows, removed or not: a list may have changed since the last turn. */
  ownerOf(name: string): { readonly server: string } | undefined {
    for (const [server, { viewed }] of this.#servers) if (viewed.tools.has(name)) return { server };
    return this.isGone(name);
  }

  /** The request's `tools` as they are now: results of a search may have added some since the turn. */
  get tools(): readonly object[] {
    return this.#block?.tools ?? [];
  }

  /**
   * The results of all calls of one turn in the API's form. A search refers only to tools in the block, which what it
   * has found joins as far as there is room. `servers`: those of the turn.
   */
  toToolResults(results: readonly ModelCallResult[], servers: readonly ServerSnapshot[] = []): readonly object[] {
    this.#takeFound(results, servers);
    const isInBlock = (name: string): boolean => this.#block?.has(name) === true;
    return this.#profile.toToolResults(results.map((result) => ({ isInBlock, ...this.#withRefusal(result) })));
  }

  report(): CostReport {
    return toCostReport(this.#servers, this.#block, this.#contextTokens);
  }

  #begin({ builtIns, servers }: ModelSnapshot): ModelExport {
    const offers = inOrder(servers);
    const seen = offers.map((offer) => viewServer(offer, this.#profile));
    const byName = new Map(offers.map((offer) => [offer.name, offer]));
    this.#block = new ViewBlock({
      profile: this.#profile,
      toolSearch: this.#toolSearch,
      contextTokens: this.#contextTokens,
      toolBytes: this.#toolBytes,
      builtIns,
      offers,
      viewed: seen,
      toolsOf: (tools) => toolsOf(tools, byName, this.#profile),
    });
    for (const [at, offer] of offers.entries()) this.#servers.set(offer.name, toTold(offer, seen[at]!, undefined));
    this.#first = new Map(this.#servers);
    return this.#export(this.#block, this.#newsOfReturn(offers, this.#block));
  }

  /** For a conversation that was left and goes on: what has changed meanwhile. */
  #newsOfReturn(offers: readonly ServerSnapshot[], { hasSkillTool }: ViewBlock): string | undefined {
    if (!this.#known) return undefined;
    const pending = new Set(offers.filter(({ isCatalogPending }) => isCatalogPending === true).map(({ name }) => name));
    const all = changesWhileAway(this.#known, this.#servers, pending);
    const changes = all.filter(({ kind }) => hasSkillTool || kind !== 'skills');
    for (const change of changes) if (change.kind === 'removed') this.#setGone(change.names, change.server);
    return toNews(changes, { defers: this.#profile.defers, since: 'left' }).text;
  }

  /** Tells the model which tools that its search has found cannot join the block any more. */
  #withRefusal(result: ModelCallResult): ModelCallResult {
    const found = result.name === 'ToolSearch' ? toMatches(result) : [];
    const refused = found.filter((name) => {
      const tool = this.#toolNamed(name);
      return tool !== undefined && this.#block?.reaches(tool) === false;
    });
    if (refused.length === 0) return result;
    const text = toNoRoom(refused, { others: found.filter((name) => this.#block?.has(name)) });
    // In words alone: references leave no place for the note, and the tools in the block would pass for the best hits.
    return { ...result, structuredContent: undefined, content: [...result.content, { type: 'text', text }] };
  }

  #takeFound(results: readonly ModelCallResult[], servers: readonly ServerSnapshot[]): void {
    const block = this.#block;
    const names = results.flatMap((result) => (result.name === 'ToolSearch' ? toMatches(result) : []));
    if (!block || names.length === 0) return;
    const found = new Map<string, ViewedTool>();
    for (const name of names) {
      const tool = this.#toolNamed(name);
      if (tool && block.takesFound(tool)) found.set(name, tool);
    }
    const byName = new Map(servers.map((server) => [server.name, server]));
    const tools = toolsOf([...found.values()], byName, this.#profile);
    for (const [name, tool] of tools) {
      // The list may have changed since the turn: what counts is the definition that joins.
      const viewed = { ...found.get(name)!, bytes: Buffer.byteLength(JSON.stringify(tool)) };
      if (!block.takesFound(viewed)) continue;
      block.join(viewed, tool);
      this.#leftOut = undefined;
    }
  }

  #toolNamed(name: string): ViewedTool | undefined {
    for (const { viewed } of this.#servers.values()) {
      const tool = viewed.tools.get(name);
      if (tool) return tool;
    }
    return undefined;
  }

  /** How many usable tools are not in `tools`: the model has to search for them. For some there may be no room any more. */
  get leftOut(): number {
    return (this.#leftOut ??= this.#countLeftOut());
  }

  #countLeftOut(): number {
    const block = this.#block;
    let count = 0;
    if (block?.canSearch !== true) return count;
    for (const { viewed } of this.#servers.values()) {
      for (const tool of viewed.tools.values()) if (!block.has(tool.name)) count++;
    }
    return count;
  }

  #export(block: ViewBlock, news: string | undefined): ModelExport {
    const { tools, system } = block;
    const viewed = [block.builtIns, ...Array.from(this.#servers.values(), (server) => server.viewed)];
    return {
      tools,
      system,
      news,
      setAside: [...viewed.flatMap(({ setAside }) => setAside), ...block.beyond],
      repairs: viewed.flatMap(({ repairs }) => repairs),
    };
  }

  /** The model has not read of the change: it is found again in the next turn. */
  #takeBack(change: UnlistedChange): void {
    const { server } = change;
    const known = change.kind === 'skills' ? { skills: change.before } : { instructions: change.before };
    this.#servers.set(server, { ...this.#servers.get(server)!, ...known });
  }

  #changesSince({ servers }: ModelSnapshot, block: ViewBlock): ViewChange[] {
    const offers = inOrder(servers);
    const names = new Set(offers.map(({ name }) => name));
    const left = [...this.#servers.keys()].filter((name) => !names.has(name)).toSorted();
    return [
      ...left.flatMap((name) => this.#changesOfLeft(name)),
      ...offers.flatMap((offer) => this.#changesOf(offer, block)),
    ];
  }

  #changesOfLeft(server: string): ViewChange[] {
    const { viewed, instructions } = this.#servers.get(server)!;
    const names = [...viewed.tools.keys()];
    this.#servers.delete(server);
    this.#leftOut = undefined;
    if (instructions !== '') this.#left.set(server, instructions);
    this.#setGone(names, server);
    return [{ kind: 'state', server, state: 'gone' }];
  }

  #changesOf(offer: ServerSnapshot, block: ViewBlock): ViewChange[] {
    const before = this.#servers.get(offer.name);
    const { name: server, instructions, hasResources, revision } = offer;
    // A restarted server: its tools are reported when they are listed, and are not removed before.
    if (before && offer.isCatalogPending === true && !isOut(offer)) return [];
    const isSame = before?.revision === revision;
    const viewed = isSame ? before.viewed : viewServer(offer, this.#profile, before?.viewed);
    const after = toTold(offer, viewed, before);
    const changes: ViewChange[] = [];
    const state = stateChange(before, after);
    if (state !== undefined) changes.push({ kind: 'state', server, state });
    if (!isSame) changes.push(...this.#toolChanges(offer, before?.viewed, viewed, block));
    const known = before?.instructions ?? this.#left.get(server) ?? '';
    this.#left.delete(server);
    if (known !== after.instructions)
      changes.push({ kind: 'instructions', server, text: instructions?.trim() || undefined, before: known });
    if (hasResources && before?.hasResources !== true && block.addResourceTools())
      changes.push({ kind: 'resources', server });
    const skills = skillChange(before?.skills ?? [], after.skills);
    if (skills && block.addSkillTool()) changes.push({ kind: 'skills', server, ...skills });
    this.#servers.set(server, after);
    return changes;
  }

  #toolChanges(
    offer: ServerSnapshot,
    before: ViewedServer | undefined,
    { tools }: ViewedServer,
    block: ViewBlock,
  ): ViewChange[] {
    const { name: server } = offer;
    const removed = [...(before?.tools.keys() ?? [])].filter((name) => !tools.has(name));
    const fresh: ViewedTool[] = [];
    const back: string[] = [];
    const changed: string[] = [];
    const other: string[] = [];
    for (const tool of inOrder(tools.values())) {
      const old = before?.tools.get(tool.name);
      this.#gone.delete(tool.name);
      const known = old ?? block.get(tool.name);
      if (old === undefined && block.isLoaded(tool.name)) back.push(tool.name);
      else if (old === undefined) fresh.push(tool);
      if (known !== undefined && known.print !== tool.print) (block.has(tool.name) ? changed : other).push(tool.name);
    }
    const late = fresh.filter(({ name }) => !block.has(name));
    const joining = block.takesNow(late) ? late : [];
    const definitions = toolsIn(offer, this.#profile, [...changed, ...joining.map(({ name }) => name)]);
    for (const tool of joining) {
      const definition = definitions.get(tool.name);
      if (definition) block.join(tool, definition);
    }
    this.#leftOut = undefined;
    const added = namesOf(fresh.filter((tool) => block.reaches(tool)));
    const unreachable = namesOf(fresh.filter((tool) => !block.reaches(tool)));
    const changes: ViewChange[] = [];
    this.#setGone(removed, server);
    if (unreachable.length > 0) changes.push({ kind: 'unreachable', server, names: unreachable });
    if (back.length > 0) changes.push({ kind: 'back', server, names: back });
    if (added.length > 0) changes.push({ kind: 'added', server, names: added });
    if (removed.length > 0) changes.push({ kind: 'removed', server, names: removed.toSorted() });
    for (const name of changed) changes.push({ kind: 'changed', server, name, definition: definitions.get(name) });
    if (other.length > 0) changes.push({ kind: 'other', server, names: other });
    return changes;
  }

  #setGone(names: readonly string[], server: string): void {
    for (const name of names) this.#gone.set(name, server);
    for (const name of this.#gone.keys()) {
      if (this.#gone.size <= GONE_LIMIT) break;
      this.#gone.delete(name);
    }
  }
}

function namesOf(tools: readonly ViewedTool[]): string[] {
  return tools.map(({ name }) => name);
}

function inOrder<T extends { readonly name: string }>(things: Iterable<T>): T[] {
  return [...things].toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

const NOTHING_CHANGED: ReadonlyMap<string, number> = new Map();
const GONE_LIMIT = 20_000; // bounds the memory for a server that keeps renaming its tools
