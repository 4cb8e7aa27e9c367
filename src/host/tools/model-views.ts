import { wrongOption } from '../../base/check-options.js';
import { HostError } from '../../base/errors.js';
import { ModelView } from '../../model/view/model-view.js';
import type { Repaired, SetAside } from '../../model/view/model-view-server.js';
import { profiles } from '../../model/profiles/all.js';
import type { ModelCallResult, ModelProfile, ProfileName } from '../../model/profiles/profile.js';
import type { ModelShapes } from '../../model/profiles/shapes.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { ToolDefinition } from '../../model/tool.js';
import { ServerOffers, type ServerOffersOptions } from './server-offers.js';
import { TurnPreparation } from './turn-preparation.js';

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
  /**
   * How many usable tools are not in `tools`, because the model searches for them. Those that have no room in `tools` any
   * more count as well.
   */
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

export interface ModelViewsOptions extends ServerOffersOptions {
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
  readonly #offers: ServerOffers;
  readonly #preparation: TurnPreparation;

  constructor(options: ModelViewsOptions) {
    this.#options = options;
    this.#offers = new ServerOffers(options);
    this.#preparation = new TurnPreparation({ servers: options.servers, offers: this.#offers, names: options.names });
  }

  /** Prepares turns for this profile from now on. Resolves when all that is known now is prepared. Never rejects. */
  prepared(name: ProfileName): Promise<void> {
    return this.#preparation.prepare(profileNamed(name));
  }

  /** Prepares nothing any more. */
  [Symbol.dispose](): void {
    this.#preparation[Symbol.dispose]();
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
    const snapshot = { builtIns, servers: this.#offers.show() };
    const { tools: _, ...turn } = current.turn(snapshot);
    this.#preparation.follow(profileNamed(name));
    this.#options.onTurn(current);
    return {
      ...turn,
      // Each profile writes the shapes of its own API.
      get tools() {
        return current.tools as ModelTurn<Profile>['tools'];
      },
      get leftOut() {
        return current.leftOut;
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
    view.turn({ builtIns, servers: this.#offers.show() });
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
    return this.#offers.count();
  }

  #keep(key: string, view: ModelView): void {
    this.#views.delete(key);
    this.#views.set(key, view);
    // Bounds the memory of programs that open a view for each request; the views in use are the newest.
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS && oldest !== undefined) this.#views.delete(oldest);
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

const VIEWS = 1_000;
