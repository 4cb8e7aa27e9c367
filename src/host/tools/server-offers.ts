import { isObject } from '../../base/json.js';
import type { TimeSlice } from '../../edge/time-slice.js';
import type { ServerSnapshot } from '../../model/view/model-view-server.js';
import type { ShownSkill } from '../../model/view/model-view-skills.js';
import type { ServerViewing } from '../../model/view/server-viewing.js';
import type { ToolDefinition } from '../../model/tool.js';
import { groupByServer, isSameNames } from '../group-by-server.js';
import { statusWordOf } from '../servers/server-state.js';
import type { Server } from '../servers/server.js';
import type { Servers } from '../servers/servers.js';
import { type ServerTool, toDefinition } from '../servers/server-tool.js';
import type { ToolNames } from '../servers/tool-names.js';

export interface ServerOffersOptions {
  readonly servers: Servers;
  /** The servers that a model may see. */
  readonly openServers: () => readonly Server[];
  readonly names: ToolNames;
  /** Whether a model may see the tool. */
  readonly isShown: (tool: ServerTool) => boolean;
  /** What `isShown` depends on besides the name: while these objects stay the same, so does its result. */
  readonly keysOf: (server: string) => readonly unknown[];
  /** Whether a model may read the server's resources. */
  readonly isReadable: (server: string) => boolean;
  /** Whether the server's instructions are withheld from models. */
  readonly isWithheld: (server: string) => boolean;
  /** The skills of a server that a model may see; the same array until they change. */
  readonly skillsOf: (server: Server) => readonly ShownSkill[];
}

/** What a server offers models at one moment. */
export interface ServerOffer extends ServerSnapshot {
  /** Whether the server's list is still the one that this was made of. */
  isCurrent(): boolean;
}

/** What the servers of a host offer models; of a server that has not changed nothing is found out again. */
export class ServerOffers {
  readonly #options: ServerOffersOptions;
  readonly #revisions = new Map<string, Revision>();
  /** Counts the revisions of all servers, so that a server that comes back never repeats one. */
  #count = 0;
  #shown:
    | { readonly tools: readonly ServerTool[]; readonly byServer: ReadonlyMap<string, readonly ServerTool[]> }
    | undefined;

  #judged: ReadonlyMap<string, Judged> = new Map();
  /** What `judge` has found out, and no `look` has used yet. */
  readonly #judgedEarly = new Map<string, Judged>();
  /** Tools whose names are not reserved yet, because no model has been shown them, by server. */
  readonly #unshown = new Map<string, readonly ServerTool[]>();
  /** The tools of the server whose definitions were read last, by name. */
  #named: { readonly tools: readonly ServerTool[]; readonly byName: ReadonlyMap<string, string> } | undefined;

  constructor(options: ServerOffersOptions) {
    this.#options = options;
    options.servers.onTools(() => (this.#shown = this.#named = undefined));
  }

  /** All offers, for a model: the names of their tools are its own from now on. */
  show(): readonly ServerOffer[] {
    const offers = this.look();
    this.#reserve();
    return offers;
  }

  /** How many tools a model may see. A model that asks has a use for their names. */
  count(): number {
    let count = 0;
    for (const { length } of this.#toolsByServer().values()) count += length;
    this.#reserve();
    return count;
  }

  /** All offers, for work before a model is shown them. */
  look(): readonly ServerOffer[] {
    const byServer = this.#toolsByServer();
    const running = this.#options.openServers().filter(({ status }) => status.kind !== 'disabled');
    if (this.#revisions.size > running.length) this.#forgetOthers(running);
    return running.map((owner) => this.#offerOf(owner, byServer.get(owner.name) ?? []));
  }

  /** Finds out in slices which tools a model may see; what `look` finds then need not be found out again. */
  async judge(slice: TimeSlice): Promise<void> {
    const { names, keysOf, isShown } = this.#options;
    for (const [server, own] of groupByServer(names.tools)) {
      const keys = keysOf(server);
      if (isJudged(this.#judged.get(server), keys, own)) continue;
      const shown = new Set<number>();
      for (let at = 0; at < own.length; at++) {
        if (isShown(own[at]!)) shown.add(at);
        const waiting = at % PIECE === PIECE - 1 ? slice.pause() : undefined;
        if (waiting) await waiting;
      }
      // What it depends on may have changed between two slices.
      if (isSameKeys(keys, keysOf(server))) this.#judgedEarly.set(server, { keys, tools: own, shown });
    }
  }

  /** Drops definitions that views of a profile keep, where they are more than one request takes. */
  trim(profile: string): void {
    let bytes = 0;
    for (const { seen } of this.#revisions.values()) bytes += seen.get(profile)?.keptBytes ?? 0;
    if (bytes <= KEPT_BYTES) return;
    for (const { seen } of this.#revisions.values()) {
      const viewing = seen.get(profile);
      if (viewing?.isDone === true) viewing.release();
    }
  }

  #offerOf(owner: Server, tools: readonly ServerTool[]): ServerOffer {
    const { isReadable, isWithheld, skillsOf } = this.#options;
    const { name, status, catalog, server } = owner;
    const revision = this.#revisionOf(owner, tools);
    return {
      name,
      state: statusWordOf(status),
      isCatalogPending: catalog.source === 'none',
      instructions: isWithheld(name) ? undefined : catalog.instructions,
      hasResources: isObject(catalog.capabilities?.['resources']) && isReadable(name),
      skills: skillsOf(owner),
      alwaysLoad: server.config.alwaysLoad === true,
      revision: String(revision.revision),
      seen: revision.seen,
      names: () => tools.map((tool) => tool.name),
      definitions: (wanted) => this.#definitionsOf(owner, tools, wanted),
      isCurrent: () => owner.toolList.toolColumns === revision.list,
    };
  }

  /** The cached definitions; a lost one is fetched in the background, and comes with a later turn. */
  #definitionsOf(
    { toolList }: Server,
    tools: readonly ServerTool[],
    wanted: readonly string[],
  ): readonly ToolDefinition[] {
    if (wanted.length === 0) return [];
    if (this.#named?.tools !== tools)
      this.#named = { tools, byName: new Map(tools.map(({ name, tool }) => [name, tool])) };
    const { byName } = this.#named;
    const names = new Map<string, string>();
    for (const name of wanted) {
      const tool = byName.get(name);
      if (tool !== undefined) names.set(tool, name);
    }
    return toolList.toolDefinitions([...names.keys()]).map((tool) => toDefinition(names.get(tool.name)!, tool));
  }

  #reserve(): void {
    for (const tools of this.#unshown.values()) this.#options.names.hold(tools);
    this.#unshown.clear();
  }

  #forgetOthers(running: readonly Server[]): void {
    const names = new Set(running.map(({ name }) => name));
    for (const name of this.#revisions.keys()) if (!names.has(name)) this.#revisions.delete(name);
  }

  #toolsByServer(): ReadonlyMap<string, readonly ServerTool[]> {
    const { names, isShown } = this.#options;
    const { tools } = names;
    if (this.#shown?.tools === tools) return this.#shown.byServer;
    const byServer = new Map<string, readonly ServerTool[]>();
    const judged = new Map<string, Judged>();
    for (const [server, own] of groupByServer(tools)) {
      const keys = this.#options.keysOf(server);
      const before = this.#judged.get(server);
      const isSame = isJudged(before, keys, own);
      const early = this.#judgedEarly.get(server);
      // Of ten thousand tools only those of a changed server are judged again.
      const known = isSame ? before : isJudged(early, keys, own) ? early : undefined;
      const shown = known?.shown ?? new Set([...own.keys()].filter((at) => isShown(own[at]!)));
      judged.set(server, { keys, tools: own, shown });
      const told = shown.size === own.length ? own : own.filter((_, at) => shown.has(at));
      if (!isSame) this.#unshown.set(server, told);
      if (told.length > 0) byServer.set(server, told);
    }
    // A server that is gone before it was shown has no names to reserve.
    for (const server of this.#unshown.keys()) if (!judged.has(server)) this.#unshown.delete(server);
    this.#judged = judged;
    this.#judgedEarly.clear();
    this.#shown = { tools, byServer };
    return byServer;
  }

  /** A new revision whenever the server's list, or what a model may see of it, has changed. */
  #revisionOf({ name, toolList }: Server, tools: readonly ServerTool[]): Revision {
    const list = toolList.toolColumns;
    const known = this.#revisions.get(name);
    const isSame = known?.list === list && isSameNames(known.tools, tools);
    const { revision, seen } = isSame ? known : { revision: ++this.#count, seen: new Map<string, ServerViewing>() };
    const made = { list, tools, revision, seen };
    this.#revisions.set(name, made);
    return made;
  }
}

/** Which tools of a server a model may see, and what that depends on. */
interface Judged {
  readonly keys: readonly unknown[];
  readonly tools: readonly ServerTool[];
  /** Indexes in `tools`. */
  readonly shown: ReadonlySet<number>;
}

function isJudged(
  judged: Judged | undefined,
  keys: readonly unknown[],
  tools: readonly ServerTool[],
): judged is Judged {
  return judged !== undefined && isSameKeys(judged.keys, keys) && isSameNames(judged.tools, tools);
}

function isSameKeys(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at]);
}

interface Revision {
  readonly list: object;
  readonly tools: readonly ServerTool[];
  readonly revision: number;
  readonly seen: Map<string, ServerViewing>;
}

const PIECE = 64; // tools, between two looks at the clock
const KEPT_BYTES = 1_000_000; // as many as a request has by default; others are read again
