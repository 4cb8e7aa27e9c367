import { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Host } from '../../host/host.js';
import type { ModelTurn } from '../../host/tools/model-views.js';
import type { CompactTrigger, SessionHooks } from '../../model/hooks/session-hooks.js';
import { type ConversationItem, type ConversationItems, toItem } from '../conversation-items.js';
import type { ModelPort, ModelRequest, Usage } from '../model-port.js';
import { contextFullOf } from '../models/context-full.js';
import type { SessionEvent } from '../session-event.js';
import { compact, type Compaction } from './compact.js';
import { ContextGauge } from './context-gauge.js';

/** How the shortening of a conversation ended. */
export type CompactEnd =
  | { readonly kind: 'compacted'; readonly compacted: Compaction }
  /** The conversation is as it was; the hint says what to do. */
  | { readonly kind: 'failed'; readonly error: HostError }
  | { readonly kind: 'cancelled' };

/** Options of one shortening. */
export interface CompactRequest {
  /** What the user wants to have kept. */
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

export interface CompactorOptions {
  readonly host: Host;
  readonly hooks: SessionHooks | undefined;
  readonly items: ConversationItems;
  readonly model: () => ModelPort;
  /** The current turn; there is one whenever a method is called. */
  readonly view: () => ModelTurn;
  readonly toRequest: (items: readonly ConversationItem[]) => ModelRequest;
  /** Whether what is summarised is also written to a file that the model can read. */
  readonly savesTranscript: boolean;
  readonly onUsage: (usage: Usage) => void;
  readonly onEvent: (event: SessionEvent) => void;
}

/** Keeps a conversation within the model's context window. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #gauge = new ContextGauge();
  /** What the provider says about the window, where that is smaller than the model's. */
  #limit = Infinity;
  /** The tokens at which the conversation could not be made shorter: tried again only when it has grown. */
  #stuckAt = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Called with what the API counted for a request. */
  learn(request: ModelRequest, usage: Usage): void {
    this.#gauge.learn(request, usage.input);
  }

  /** Another model has another window, and counts in its own way. */
  forget(): void {
    this.#gauge.forget();
    this.#limit = Infinity;
    this.#stuckAt = 0;
  }

  /** Whether the next request should be shorter. Asks the provider for the window's size before saying so. */
  async isNearlyFull(): Promise<boolean> {
    if (!this.#isBeyond) return false;
    await this.#options.model().findContextTokens?.();
    return this.#isBeyond;
  }

  get #isBeyond(): boolean {
    const tokens = this.#tokens;
    return tokens > this.#window * NEARLY_FULL && tokens > this.#stuckAt * GROWN;
  }

  /** Shortens a conversation that its provider calls too long; undefined for every other error. Never rejects. */
  async shortenAfter(error: HostError, request: ModelRequest, signal: AbortSignal): Promise<CompactEnd | undefined> {
    const full = contextFullOf(error);
    if (!full) return undefined;
    const { limit, tokens } = full;
    if (tokens !== undefined || limit !== undefined) this.#gauge.learn(request, Math.max(tokens ?? 0, limit ?? 0));
    // Where the provider does not say its limit, it is certainly less than what was refused.
    this.#limit = limit ?? Math.min(this.#limit, this.#gauge.tokensOf(request) * LESS);
    return this.#compact({ trigger: 'auto', instructions: '', isRefused: true }, signal);
  }

  /** Never rejects. `instructions`: what the user wants to have kept. */
  compact(trigger: CompactTrigger, instructions: string, signal: AbortSignal): Promise<CompactEnd> {
    return this.#compact({ trigger, instructions, isRefused: false }, signal);
  }

  async #compact(asked: AskedCompaction, signal: AbortSignal): Promise<CompactEnd> {
    const { trigger, instructions } = asked;
    const { items, onEvent } = this.#options;
    try {
      await this.#checkHooks(trigger, instructions);
      onEvent({ kind: 'compacting', trigger });
      const { items: made, ...compacted } = await compact({
        ...this.#options,
        ...asked,
        signal,
        items: items.all,
        model: this.#options.model(),
        view: this.#options.view(),
        gauge: this.#gauge,
        window: this.#window,
      });
      items.replaceFrom(0, made, 'compact');
      this.#stuckAt = 0;
      onEvent({ kind: 'compacted', trigger, ...compacted });
      if (compacted.summary !== undefined) await this.#tellHooks(trigger, compacted.summary);
      return { kind: 'compacted', compacted };
    } catch (cause) {
      const error = signal.aborted
        ? new HostError('cancelled', 'Stopped; the conversation is as it was')
        : toHostError(cause, 'The conversation could not be made shorter');
      onEvent({ kind: 'compact-failed', trigger, error });
      if (signal.aborted) return { kind: 'cancelled' };
      this.#stuckAt = this.#tokens;
      return { kind: 'failed', error };
    }
  }

  /** Hooks may have more for the model, which has lost what they said at the beginning. */
  async #tellHooks(trigger: CompactTrigger, summary: string): Promise<void> {
    const { hooks, items, model } = this.#options;
    if (hooks?.has('PostCompact') === true) await hooks.compacted(trigger, summary);
    if (hooks?.has('SessionStart') !== true) return;
    const { context } = await hooks.started('compact', model().name);
    const parts = context.map((text) => ({ kind: 'text', text: `[SessionStart hook] ${text}` }) as const);
    if (parts.length > 0) items.insert(1, toItem({ role: 'user', parts }, { from: 'host' }), 'compact');
  }

  async #checkHooks(trigger: CompactTrigger, instructions: string): Promise<void> {
    const { hooks } = this.#options;
    if (hooks?.has('PreCompact') !== true) return;
    const verdict = await hooks.compacting(trigger, instructions);
    if (verdict.kind === 'block') {
      throw new HostError('denied', `A hook does not let the conversation be summarised: ${verdict.reason}`, {
        hint: 'Change the PreCompact hook in your settings, or begin a new conversation with /clear',
      });
    }
  }

  get #tokens(): number {
    const { items, toRequest } = this.#options;
    return this.#gauge.tokensOf(toRequest(items.all));
  }

  get #window(): number {
    return Math.min(this.#limit, this.#options.model().contextTokens);
  }
}

interface AskedCompaction {
  readonly trigger: CompactTrigger;
  readonly instructions: string;
  readonly isRefused: boolean;
}

const LESS = 0.95;
const NEARLY_FULL = 0.8; // of the window
const GROWN = 1.05;
