import type { FollowFlowOptions } from '../guard/flow-guard.js';
import type { ProfileName } from '../model/profiles/profile.js';
import type { ToolDefinition } from '../model/tool.js';
import type { Assembly } from './assembly.js';
import { type ProviderCall, recordProviderCall } from './calls/provider-call.js';
import type { FollowedConversation } from './host-options.js';
import type { HostParts } from './host-parts.js';
import { HostRequests } from './requests/host-requests.js';
import type { ForModelOptions, ModelTurn } from './tools/model-views.js';

/** What a host shows models, and knows of their conversations. */
export abstract class HostConversations extends HostRequests {
  readonly #base: HostParts;
  readonly #parts: Assembly;

  /** @internal */
  constructor(base: HostParts, parts: Assembly, isCommandLine: boolean) {
    super(parts, isCommandLine);
    this.#base = base;
    this.#parts = parts;
  }

  /**
   * One turn of a conversation with a model: tools and the servers' instructions in the shape of its API. What a model
   * has read never changes by a byte after the first turn; later changes are in `news`.
   */
  forModel<Profile extends ProfileName>(profile: Profile, options: ForModelOptions = {}): ModelTurn<Profile> {
    for (const { catalog } of this.#base.servers.all()) catalog.refreshStale();
    this.#parts.flows.shown(options.conversation ?? '');
    return this.#parts.views.turn(profile, options, this.builtInDefinitions());
  }

  /**
   * The built-in tools that a model may see.
   * @internal
   */
  protected builtInDefinitions(): readonly ToolDefinition[] {
    const { allBuiltIns, visibility } = this.#parts;
    return allBuiltIns.filter(visibility.isPermitted).map((tool) => tool.known);
  }

  /** Writes a call that the model's provider ran itself to the ledger; this host never makes it. */
  recordProviderCall(call: ProviderCall): void {
    recordProviderCall(this.#base.callServices, call);
  }

  /**
   * Follows a conversation that calls name as their `conversation`: what is read in it is watched by the flow guard until
   * the result is disposed of. `restored` goes on with a conversation that was held before.
   */
  followConversation(name: string, options: FollowFlowOptions = {}): FollowedConversation {
    const { flow } = this.#base.callServices;
    const followed = flow.follow(name, options);
    return {
      typed: (text) => flow.typed(name, text),
      [Symbol.dispose]: () => followed[Symbol.dispose](),
    };
  }
}
