import { HostError } from '../base/errors.js';
import type { Connection } from '../connection/connection.js';
import { type ModelExport, ModelView } from '../model/model-view.js';
import type { ServerOffer } from '../model/model-view-server.js';
import { profiles } from '../model/profiles/all.js';
import type { CallResult, ProfileName } from '../model/profiles/profile.js';
import type { CostReport } from '../model/tool-cost.js';
import type { ToolDefinition } from '../model/tool.js';
import { type ServerTool, toDefinition } from '../tools/server-tool.js';
import { wordOf } from './server-state.js';

export interface ForModelOptions {
  /** Which conversation this is a turn of: what a model has read in it never changes. One of its own for each name. */
  readonly session?: string;
  /** How much the model takes in all; 200,000 unless said otherwise. */
  readonly contextTokens?: number;
  /** Whether definitions are only shown when they are looked for; as the settings say unless said otherwise. */
  readonly toolSearch?: ToolSearchMode;
}

export type ToolSearchMode = 'auto' | 'always' | 'never';

/** One turn of a conversation: what the request to the model is made of, and how to answer it. */
export interface ModelTurn extends ModelExport {
  /** What came of the calls of this turn, in the API's shape: blocks, messages or parts. */
  readonly toolResults: (results: readonly CallResult[]) => readonly object[];
  /** What each server and tool costs, and what changes since the first turn would have. */
  readonly cost: () => CostReport;
}

export interface ModelViewsOptions {
  readonly connections: () => readonly Connection[];
  /** Of all servers; the same list as long as nothing has changed. */
  readonly tools: () => readonly ServerTool[];
  readonly builtIns: readonly ToolDefinition[];
  /** Whether a model may know of it. */
  readonly isShown: (tool: ServerTool) => boolean;
  /** Whether its instructions are kept from models. */
  readonly isWithheld: (server: string) => boolean;
  readonly toolSearch: () => ToolSearchMode;
}

/** The conversations of a host, each with what its model has been told. */
export class ModelViews {
  readonly #options: ModelViewsOptions;
  readonly #views = new Map<string, ModelView>();
  readonly #revisions = new Map<string, Revision>();
  #shown:
    | { readonly tools: readonly ServerTool[]; readonly byServer: ReadonlyMap<string, readonly ServerTool[]> }
    | undefined;

  constructor(options: ModelViewsOptions) {
    this.#options = options;
  }

  /** What is shown may be different from now on: rules, pins, lists. */
  clear(): void {
    this.#shown = undefined;
  }

  turn(name: ProfileName, { session = '', contextTokens, toolSearch }: ForModelOptions): ModelTurn {
    const profile = profiles.find((one) => one.name === name);
    if (!profile) throw unknownProfile(name);
    const key = `${name} ${session}`;
    let view = this.#views.get(key);
    if (!view) {
      view = new ModelView({
        profile,
        toolSearch: toolSearch ?? this.#options.toolSearch(),
        ...(contextTokens !== undefined && { contextTokens }),
      });
      this.#keep(key, view);
    }
    const current = view;
    const turn = current.turn({ builtIns: this.#options.builtIns, servers: this.#offers() });
    return {
      ...turn,
      toolResults: (results) => current.toToolResults(results),
      cost: () => current.report(),
    };
  }

  /** Whose tool it was, if a model has read of it and it is gone. */
  isGone(name: string): { readonly server: string } | undefined {
    for (const view of this.#views.values()) {
      const gone = view.isGone(name);
      if (gone) return gone;
    }
    return undefined;
  }

  #keep(key: string, view: ModelView): void {
    this.#views.set(key, view);
    // Whoever opens one for each request and never comes back must not fill the memory.
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS && oldest !== undefined) this.#views.delete(oldest);
  }

  #offers(): readonly ServerOffer[] {
    const { connections, isWithheld } = this.#options;
    const byServer = this.#toolsByServer();
    return connections()
      .filter(({ status }) => status.kind !== 'disabled')
      .map((connection) => {
        const { name, status, catalog, server } = connection;
        const tools = byServer.get(name) ?? [];
        return {
          name,
          state: wordOf(status),
          instructions: isWithheld(name) ? undefined : catalog.instructions,
          hasResources: catalog.capabilities?.['resources'] !== undefined,
          alwaysLoad: server.config.alwaysLoad === true,
          revision: this.#revisionOf(connection, tools),
          names: () => tools.map((tool) => tool.name),
          definitions: () => definitionsOf(connection, tools),
        };
      });
  }

  #toolsByServer(): ReadonlyMap<string, readonly ServerTool[]> {
    const { tools: all, isShown } = this.#options;
    const tools = all();
    if (this.#shown?.tools === tools) return this.#shown.byServer;
    const byServer = new Map<string, ServerTool[]>();
    for (const tool of tools) {
      if (!isShown(tool)) continue;
      const own = byServer.get(tool.server);
      if (own) own.push(tool);
      else byServer.set(tool.server, [tool]);
    }
    this.#shown = { tools, byServer };
    return byServer;
  }

  /** Another one whenever its list, or what a model may see of it, is another one. */
  #revisionOf({ name, catalog }: Connection, tools: readonly ServerTool[]): string {
    const list = catalog.toolColumns;
    const known = this.#revisions.get(name);
    const isSame = known?.list === list && isSameNames(known.tools, tools);
    const revision = isSame ? known.revision : (known?.revision ?? 0) + 1;
    this.#revisions.set(name, { list, tools, revision });
    return String(revision);
  }
}

function unknownProfile(name: string): HostError {
  const names = profiles.map((profile) => profile.name).join(', ');
  return new HostError('usage', `There is no model profile "${name}"`, {
    hint: `There are: ${names}`,
  });
}

interface Revision {
  readonly list: object;
  readonly tools: readonly ServerTool[];
  readonly revision: number;
}

/** As far as they are at hand; a definition that is lost is fetched again, and comes with a later turn. */
function definitionsOf({ catalog }: Connection, tools: readonly ServerTool[]): readonly ToolDefinition[] {
  const names = new Map(tools.map(({ tool, name }) => [tool, name]));
  return catalog.toolDefinitions([...names.keys()]).map((tool) => toDefinition(names.get(tool.name)!, tool));
}

function isSameNames(one: readonly ServerTool[], other: readonly ServerTool[]): boolean {
  return one === other || (one.length === other.length && one.every(({ name }, at) => name === other[at]!.name));
}

const VIEWS = 1_000;
