import { fields, object, type OptionCheck, wrongOption } from '../base/check-options.js';
import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import type { FollowFlowOptions } from '../guard/flow-guard.js';
import type { ProfileName } from '../model/profiles/profile.js';
import type { ToolDefinition } from '../model/tool.js';
import type { ValueReport } from '../model/value/server-value.js';
import { VALUE_DAYS, isValueDays } from '../model/value/value-days.js';
import type { Assembly } from './assembly.js';
import { type ProviderCall, recordProviderCall } from './calls/provider-call.js';
import type { FollowedConversation } from './host-options.js';
import type { HostParts } from './host-parts.js';
import { HostRequests } from './requests/host-requests.js';
import type { ForModelOptions, ModelTurn } from './tools/model-views.js';

/** Options of `host.value`. */
export interface ValueOptions {
  /** How many days back, 1 to 3650. Default: 30. */
  readonly days?: number;
  /** Ends the reading; the promise rejects with `cancelled`. */
  readonly signal?: AbortSignal;
}

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
   * Prepares turns for this model API from now on, in slices between other work, as lists come. Resolves when all lists
   * known now are prepared, or when the signal aborts: a first `forModel` after that computes nothing that others wait
   * for; one before does the rest at once, with the same result. Rejects only with `usage`, for an unknown name.
   */
  async prepared(profile: ProfileName, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await within(this.#parts.views.prepared(profile), { signal, instead: () => undefined });
  }

  /**
   * The built-in tools that a model may see.
   * @internal
   */
  protected builtInDefinitions(): readonly ToolDefinition[] {
    const { allBuiltIns, visibility } = this.#parts;
    return allBuiltIns.filter(visibility.isPermitted).map((tool) => tool.known);
  }

  /**
   * What servers cost models in the last days and what they brought, from the ledger of all hosts of this user; and for
   * servers of this host that cost more than they bring, what to write to defer, narrow or disable them. Without a
   * ledger everything is 0. Rejects with `usage` for wrong options, with `config-unreadable` when the ledger's folder
   * cannot be read, and with `cancelled`.
   */
  async value(options: ValueOptions = {}): Promise<ValueReport> {
    valueOptions(options, '');
    const { days = VALUE_DAYS, signal } = options;
    const { configuration, ports } = this.#base.services;
    // The calls and turns of this host are gathered for a moment before they are written.
    await this.#base.callServices.ledger?.written();
    const { readValueReport } = await import('./value/value-report.js');
    try {
      return await readValueReport(configuration.loaded, { days, now: ports.wall(), signal });
    } catch (cause) {
      if (signal?.aborted !== true || cause instanceof HostError) throw cause;
      throw new HostError('cancelled', 'Reading the ledger was cancelled', { cause });
    }
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
      given: (text, from) => flow.given(name, text, from),
      [Symbol.dispose]: () => followed[Symbol.dispose](),
    };
  }
}

const daysOption: OptionCheck = (value, path) => {
  if (!isValueDays(value)) throw wrongOption(path, 'a whole number from 1 to 3650', value);
};

const valueOptions = fields({ days: daysOption, signal: object });
