import { nextTurn } from '../../edge/clock.js';
import { TimeSlice } from '../../edge/time-slice.js';
import type { ModelProfile } from '../../model/profiles/profile.js';
import { viewingOf } from '../../model/view/model-view-server.js';
import type { ToolNames } from '../servers/tool-names.js';
import type { Servers } from '../servers/servers.js';
import type { ServerOffer, ServerOffers } from './server-offers.js';

export interface TurnPreparationOptions {
  readonly servers: Servers;
  readonly offers: ServerOffers;
  readonly names: Pick<ToolNames, 'holdSome'>;
}

/**
 * Views the tools of servers for the profiles that were asked for, before a turn needs them: in slices between
 * other work, as lists come. A turn that comes earlier views what is left. Without a profile nothing is done.
 */
export class TurnPreparation implements Disposable {
  readonly #options: TurnPreparationOptions;
  readonly #profiles = new Set<ModelProfile>();
  #running: Promise<void> | undefined;
  #isStale = false;
  #isOver = false;

  constructor(options: TurnPreparationOptions) {
    this.#options = options;
    options.servers.onTools(() => this.#wake());
  }

  /** From now on lists are viewed for this profile. Resolves when those known now are. Never rejects. */
  prepare(profile: ModelProfile): Promise<void> {
    this.#profiles.add(profile);
    this.#wake();
    return this.#running ?? Promise.resolve();
  }

  /** From now on lists that change are viewed for this profile: it has had a turn. */
  follow(profile: ModelProfile): void {
    this.#profiles.add(profile);
    this.#options.offers.trim(profile.name);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  #wake(): void {
    this.#isStale = true;
    if (this.#isOver || this.#profiles.size === 0) return;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    try {
      while (this.#isStale && !this.#isOver) {
        // Lists that come together are looked at together.
        await nextTurn();
        this.#isStale = false;
        if (!this.#isOver) await this.#prepare();
      }
    } catch {
      // A turn meets the same error, and its caller hears of it.
    } finally {
      this.#running = undefined;
    }
  }

  async #prepare(): Promise<void> {
    const { offers, names } = this.#options;
    const slice = new TimeSlice();
    await offers.judge(slice);
    if (this.#isOver) return;
    for (const offer of offers.look()) {
      for (const profile of this.#profiles) await this.#view(offer, profile, slice);
    }
    while (!this.#isOver && names.holdSome()) await slice.pause();
  }

  async #view(offer: ServerOffer, profile: ModelProfile, slice: TimeSlice): Promise<void> {
    const viewing = viewingOf(offer, profile);
    if (viewing.isDone) return;
    while (!this.#isOver && offer.isCurrent() && viewing.step()) await slice.pause();
    if (!viewing.isDone) return;
    // What is lost now may be found in the next turn.
    if (viewing.lost.length > 0) offer.seen.delete(profile.name);
    this.#options.offers.trim(profile.name);
  }
}
