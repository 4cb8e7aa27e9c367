import { wrongOption } from '../../base/check-options.js';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { ModelView } from '../../model/view/model-view.js';
import type { ServerViewing } from '../../model/view/server-viewing.js';
import type { ShownSkill } from '../../model/view/model-view-skills.js';
import type { Repaired, ServerSnapshot, SetAside } from '../../model/view/model-view-server.js';
import { profiles } from '../../model/profiles/all.js';
import type { ModelCallResult, ModelProfile, ProfileName } from '../../model/profiles/profile.js';
import type { ModelShapes } from '../../model/profiles/shapes.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { ToolDefinition } from '../../model/tool.js';
import { groupByServer, isSameNames } from '../group-by-server.js';
import { statusWordOf } from '../servers/server-state.js';
import type { Server } from '../servers/server.js';
import type { Servers } from '../servers/servers.js';
import { type ServerTool, toDefinition } from '../servers/server-tool.js';
import type { ToolNames } from '../servers/tool-names.js';

/** Options of one turn. */
export interface ForModelOptions {
  /** Name of the conversation that this turn belongs to: what its model has read never changes. */
  readonly session?: string;
  /** The conversation of the calls that this turn leads to, as `host.call` names it. Default: that of calls without one. */
  readonly conversation?: string | undefined;
  /** The model's context window in tokens. Default: 200,000. */
  readonly contextTokens?: number;
  /** Whether definitions are shown only when searched for. Default: as in the settings. */
  readonly toolSearch?: ToolSearchMode;
  /** How many bytes the definitions in `tools` may have: the model searches for what is beyond. Default: as in the settings. */
  readonly toolBytes?: number;
  /** For the first turn of a conversation that was left and goes on: what `told()` gave last. */
  readonly known?: unknown;
}

/** Whether models see all tools, or search for them. */
export type ToolSearchMode = 'auto' | 'always' | 'never';

/** One turn of a conversation: the parts of the request to the model, and the means to answer its calls. */
export interface ModelTurn<Profile extends ProfileName = ProfileName> {
  /** The request's `tools`, to be passed as they are. The same array until a tool is added at its end; read it for each request. */
  readonly tools: ModelShapes[Profile]['tool'][];
  /** A section of the system prompt; constant for the whole conversation, empty if there is nothing to say. */
  readonly system: string;
  /** To be sent once, with the next message; undefined when nothing is new. */
  readonly news: string | undefined;
  /** Tools that this model is not shown, and why. */
  readonly setAside: readonly SetAside[];
  /** What was changed in schemas that the API would have refused. */
  readonly repairs: readonly Repaired[];
  /** How many usable tools are not in `tools`, because the model searches for them. */
  readonly leftOut: number;
  /**
   * The results of this turn's calls in the API's shape: blocks, messages or parts. What a search has found may join
   * `tools`: take them anew for the next request.
   */
  readonly toolResults: (results: readonly ModelCallResult[]) => ModelShapes[Profile]['result'][];
  /** The cost of each server and tool, and what changes since the first turn would have cost. */
  readonly cost: () => CostReport;
  /** All that only `news` have told, for a conversation whose older messages are replaced; undefined: nothing. */
  readonly retold: () => string | undefined;
  /** What the model knows of the servers by now, as JSON without their texts: to be kept, and given back as `known`. */
  readonly told: () => object;
}

export interface ModelViewsOptions {
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
  readonly toolSearch: () => ToolSearchMode;
  /** How many bytes the definitions of a request may have. */
  readonly toolBytes: () => number;
  /** Records a turn, after it. Contract: must not throw. */
  readonly onTurn: (view: Pick<ModelView, 'shown' | 'changed'>) => void;
}

/** The conversations of a host, each with what its model has read. */
export class ModelViews {
  readonly #options: ModelViewsOptions;
  readonly #views = new Map<string, ModelView>();
  readonly #revisions = new Map<string, Revision>();
  /** Counts the revisions of all servers, so that a server that comes back never repeats one. */
  #count = 0;
  #shown:
    | { readonly tools: readonly ServerTool[]; readonly byServer: ReadonlyMap<string, readonly ServerTool[]> }
    | undefined;

  #judged: ReadonlyMap<string, Judged> = new Map();

  constructor(options: ModelViewsOptions) {
    this.#options = options;
    options.servers.onTools(() => (this.#shown = undefined));
  }

  /** `builtIns`: the built-in tools that a model may see. */
  turn<Profile extends ProfileName>(
    name: Profile,
    { session = '', ...options }: ForModelOptions,
    builtIns: readonly ToolDefinition[],
  ): ModelTurn<Profile> {
    const key = `${name} ${session}`;
    const current = this.#views.get(key) ?? this.#open(name, options);
    this.#keep(key, current);
    const snapshot = { builtIns, servers: this.#offers() };
    const { tools: _, ...turn } = current.turn(snapshot);
    this.#options.onTurn(current);
    return {
      ...turn,
      // Each profile writes the shapes of its own API.
      get tools() {
        return current.tools as ModelTurn<Profile>['tools'];
      },
      toolResults: (results) =>
        current.toToolResults(results, snapshot.servers) as ReturnType<ModelTurn<Profile>['toolResults']>,
      cost: () => current.report(),
      retold: () => current.retell(snapshot),
      told: () => current.told(),
    };
  }

  /** The cost for a conversation that began now; none begins. */
  preview(
    name: ProfileName,
    options: Omit<ForModelOptions, 'session'>,
    builtIns: readonly ToolDefinition[],
  ): CostReport {
    const view = this.#open(name, options);
    view.turn({ builtIns, servers: this.#offers() });
    return view.report();
  }

  #open(
    name: ProfileName,
    { contextTokens, toolSearch, toolBytes, known }: Omit<ForModelOptions, 'session' | 'conversation'>,
  ): ModelView {
    const profile = profileNamed(name);
    if (toolBytes !== undefined && !(Number.isFinite(toolBytes) && toolBytes > 0))
      throw wrongOption('toolBytes', 'a number of bytes', toolBytes);
    return new ModelView({
      profile,
      toolSearch: toolSearch ?? this.#options.toolSearch(),
      toolBytes: toolBytes ?? this.#options.toolBytes(),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(known !== undefined && { known }),
    });
  }

  /** The current or former server of a tool that a model has read of. */
  ownerOf(name: string): { readonly server: string } | undefined {
    for (const view of this.#views.values()) {
      const owner = view.ownerOf(name);
      if (owner) return owner;
    }
    return undefined;
  }

  /** How many tools a model may see. */
  get count(): number {
    let count = 0;
    for (const { length } of this.#toolsByServer().values()) count += length;
    return count;
  }

  #keep(key: string, view: ModelView): void {
    this.#views.delete(key);
    this.#views.set(key, view);
    // Bounds the memory of programs that open a view for each request; the views in use are the newest.
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS && oldest !== undefined) this.#views.delete(oldest);
  }

  #offers(): readonly ServerSnapshot[] {
    const { openServers, isReadable, isWithheld, skillsOf } = this.#options;
    const byServer = this.#toolsByServer();
    const running = openServers().filter(({ status }) => status.kind !== 'disabled');
    if (this.#revisions.size > running.length) this.#forgetOthers(running);
    return running.map((owner) => {
      const { name, status, catalog, server } = owner;
      const tools = byServer.get(name) ?? [];
      return {
        name,
        state: statusWordOf(status),
        isCatalogPending: catalog.source === 'none',
        instructions: isWithheld(name) ? undefined : catalog.instructions,
        hasResources: isObject(catalog.capabilities?.['resources']) && isReadable(name),
        skills: skillsOf(owner),
        alwaysLoad: server.config.alwaysLoad === true,
        ...this.#revisionOf(owner, tools),
        names: () => tools.map((tool) => tool.name),
        definitions: (wanted) => this.#definitionsOf(owner, wanted),
      };
    });
  }

  /** The cached definitions; a lost one is fetched in the background, and comes with a later turn. */
  #definitionsOf({ name: server, toolList }: Server, wanted: readonly string[]): readonly ToolDefinition[] {
    const names = new Map<string, string>();
    for (const name of wanted) {
      const tool = this.#options.names.get(name);
      if (tool?.server === server) names.set(tool.tool, name);
    }
    return toolList.toolDefinitions([...names.keys()]).map((tool) => toDefinition(names.get(tool.name)!, tool));
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
      const isSame = before && isSameKeys(before.keys, keys) && isSameNames(before.tools, own);
      // Of ten thousand tools only those of a changed server are judged again.
      const shown: ReadonlySet<number> = isSame
        ? before.shown
        : new Set([...own.keys()].filter((at) => isShown(own[at]!)));
      judged.set(server, { keys, tools: own, shown });
      const told = shown.size === own.length ? own : own.filter((_, at) => shown.has(at));
      if (!isSame) names.hold(told);
      if (told.length > 0) byServer.set(server, told);
    }
    this.#judged = judged;
    this.#shown = { tools, byServer };
    return byServer;
  }

  /** A new revision whenever the server's list, or what a model may see of it, has changed. */
  #revisionOf({ name, toolList }: Server, tools: readonly ServerTool[]): Pick<ServerSnapshot, 'revision' | 'seen'> {
    const list = toolList.toolColumns;
    const known = this.#revisions.get(name);
    const isSame = known?.list === list && isSameNames(known.tools, tools);
    const { revision, seen } = isSame ? known : { revision: ++this.#count, seen: new Map() };
    this.#revisions.set(name, { list, tools, revision, seen });
    return { revision: String(revision), seen };
  }
}

function profileNamed(name: ProfileName): ModelProfile {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const names = profiles.map((profile) => profile.name).join(', ');
  throw new HostError('usage', `There is no model profile "${name}"`, {
    hint: `There are: ${names}`,
  });
}

/** Which tools of a server a model may see, and what that depends on. */
interface Judged {
  readonly keys: readonly unknown[];
  readonly tools: readonly ServerTool[];
  /** Indexes in `tools`. */
  readonly shown: ReadonlySet<number>;
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

const VIEWS = 1_000;
