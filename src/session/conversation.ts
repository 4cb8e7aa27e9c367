import { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import type { Host } from '../host/host.js';
import type { CallResult } from '../host/host-options.js';
import type { ForModelOptions, ModelTurn } from '../host/tools/model-views.js';
import type { SessionHooks } from '../model/hooks/session-hooks.js';
import type { CostReport } from '../model/view/tool-cost.js';
import { type CompactEnd, Compactor, type CompactRequest } from './compaction/compactor.js';
import { type ConversationItem, ConversationItems, toGiven, toItem, toResultsItem } from './conversation-items.js';
import { dropUnfinished } from './drop-unfinished.js';
import { STABLE_INSTRUCTIONS } from './instructions.js';
import type { Journal, StoredConversation, StoredItem } from './journal.js';
import type { Message, ToolCallPart } from './message.js';
import { type ModelAnswer, readModelAnswer } from './model-answer.js';
import { addUsage, type ModelPort, type ModelRequest, NO_USAGE, type Usage } from './model-port.js';
import { callsOf, toReadableItems } from './readable-items.js';
import { type SendEnd, type SendOptions, type SendProgress, stillBusy, TERMINAL, type WorkEnd } from './send-end.js';
import type { SessionEvent } from './session-event.js';
import { isRefusal, toUnread, toWithheld } from './unshown-results.js';

/** What a conversation is made of. */
export interface ConversationOptions {
  readonly host: Host;
  readonly model: ModelPort;
  /** Distinguishes the conversations of one host. */
  readonly id: string;
  /** The conversation of the flow guard that calls belong to. Default: that of calls that name none. */
  readonly watched?: string | undefined;
  /** The first part of the system prompt, the same in every conversation. Default: `STABLE_INSTRUCTIONS`. */
  readonly instructions?: string;
  /** What holds only here and today; comes after what servers say. */
  readonly surroundings?: string;
  /** How often the model may be asked for one message of the user; no limit by default. */
  readonly maxTurns?: number | undefined;
  /** Keeps the conversation as it grows. */
  readonly journal?: Journal | undefined;
  /** A conversation that a journal has kept, to go on with. */
  readonly restored?: StoredConversation | undefined;
  /** Hooks around summaries, and at the end of the model's work. */
  readonly hooks?: SessionHooks | undefined;
  /** Contract: must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/**
 * A model's conversation with the tools of a host. It only grows: what the model has read is sent again byte by byte,
 * and changes come as new messages. When the context is nearly full, older messages are replaced by a summary. Every
 * call always has its result, so it can go on after any stop.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #items: ConversationItems;
  readonly #ids = new Set<string>();
  readonly #context: Compactor;
  #model: ModelPort;
  /** Replaces `#model` when the `send` under way has ended. */
  #nextModel: ModelPort | undefined;
  #view: ModelTurn | undefined;
  #usage: Usage = NO_USAGE;
  #filled = 0;
  #isBusy = false;
  /** How many models have read the conversation; each sees the servers as they are then, and is told of changes. */
  #readings = 1;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#items = new ConversationItems(options.journal);
    this.#context = new Compactor({
      host: options.host,
      hooks: options.hooks,
      items: this.#items,
      model: () => this.#model,
      view: () => this.#view!,
      toRequest: (items) => this.#toRequest(items),
      savesTranscript: options.journal !== undefined,
      onUsage: (usage) => this.#spend(usage),
      onEvent: (event) => {
        if (event.kind === 'compacted') this.#filled = event.after;
        this.#emit(event);
      },
    });
    const stored = options.restored?.items ?? [];
    for (const item of stored) for (const { id } of callsOf(item)) this.#ids.add(id);
    // The results get their format with the first turn, which decides which tools there are.
    this.#items.restore(toReadableItems(stored, { write: () => [], isForeign: () => false, ids: this.#ids }));
  }

  /** The model that answers. */
  get model(): ModelPort {
    return this.#model;
  }

  /** Whether the model works on a message. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** What was said so far, as the model reads it. */
  get messages(): readonly Message[] {
    return this.#items.all.map(({ message }) => message);
  }

  /** What was said so far, as it is kept: in no API's format. */
  get items(): readonly StoredItem[] {
    return this.#items.all.map(({ stored }) => stored);
  }

  /** The sum of all requests so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Tokens of the context that the last request and its answer filled; 0 before the first. */
  get filled(): number {
    return this.#filled;
  }

  /** What each server and tool costs, and what changes would cost; undefined before the first message. */
  cost(): CostReport | undefined {
    return this.#view?.cost();
  }

  /** Uses another model from the next message on, which reads the whole conversation anew. */
  useModel(model: ModelPort): void {
    // A `send` under way goes on with its model, because its calls get their results in the format of that API.
    this.#nextModel = this.#isBusy ? model : undefined;
    if (this.#isBusy) return;
    const before = this.#model;
    this.#model = model;
    if (before.name === model.name && before.profile === model.profile) return;
    this.#readings++;
    this.#context.forget();
    if (!this.#view) return;
    const view = this.#options.host.forModel(model.profile, this.#viewOptions);
    const items = toReadableItems(this.items, { write: view.toolResults, isForeign: () => true, ids: this.#ids });
    this.#items.replaceFrom(0, items, 'model');
    this.#view = view;
    this.#tell(view.news);
  }

  /** Lets the model work until it is done. Never rejects; aborting the signal ends it at any point. */
  async send(
    messages: readonly Message[],
    { signal = new AbortController().signal, typed }: SendOptions = {},
  ): Promise<SendEnd> {
    if (this.#isBusy) {
      return { kind: 'failed', error: stillBusy(), isSent: false, turns: 0, usage: NO_USAGE, text: '' };
    }
    this.#isBusy = true;
    const progress: SendProgress = { turns: 0, text: '', usage: NO_USAGE };
    const last = this.#items.all.at(-1);
    if (typed !== undefined) this.#options.journal?.typed?.(typed);
    try {
      const end = await this.#work(toGiven(messages, typed), signal, progress);
      this.#finish(last);
      return { ...end, ...progress };
    } catch (cause) {
      // Nothing here is meant to throw: a model port that breaks its contract is reported like any other failure.
      const error = toHostError(cause, 'The session failed inside Plugboard');
      return { kind: 'failed', error, isSent: true, ...progress };
    } finally {
      this.#isBusy = false;
      if (this.#nextModel) this.useModel(this.#nextModel);
    }
  }

  /** Has the model summarise older messages, which are replaced by the summary. Never rejects. */
  async compact({
    instructions = '',
    signal = new AbortController().signal,
  }: CompactRequest = {}): Promise<CompactEnd> {
    if (this.#isBusy) return { kind: 'failed', error: stillBusy() };
    this.#isBusy = true;
    try {
      this.#look();
      return await this.#context.compact('manual', instructions, signal);
    } finally {
      this.#isBusy = false;
      if (this.#nextModel) this.useModel(this.#nextModel);
    }
  }

  async #work(given: readonly ConversationItem[], signal: AbortSignal, progress: SendProgress): Promise<WorkEnd> {
    await this.#options.host.prepared(this.#model.profile); // so that the turn holds up nothing else
    this.#look();
    for (const item of given) this.#items.add(item);
    const last = this.#items.all.at(-1);
    const { maxTurns = Infinity } = this.#options;
    let [held, isShortened] = [0, false];
    for (;;) {
      if (signal.aborted) return this.#stopped(given, last);
      if (progress.turns >= maxTurns) return { kind: 'max-turns' };
      if (await this.#context.isNearlyFull()) {
        await this.#context.compact('auto', '', signal);
        if (signal.aborted) return this.#stopped(given, last);
      }
      progress.turns++;
      const request = this.#toRequest(this.#items.all);
      const { parts, end, usage } = await this.#ask(request, signal);
      this.#count(usage, request);
      progress.usage = addUsage(progress.usage, usage);
      if (end.kind === 'failed') {
        const shortened: CompactEnd | undefined = isShortened
          ? undefined
          : await this.#context.shortenAfter(end.error, request, signal);
        isShortened = shortened !== undefined;
        if (shortened?.kind === 'cancelled') return this.#stopped(given, last);
        if (shortened?.kind === 'compacted' || this.#withhold(end.error)) continue;
        return this.#failed(shortened?.kind === 'failed' ? shortened.error : end.error, given, last);
      }
      isShortened = false;
      const item = toItem({ role: 'assistant', parts }, { model: this.#model.name });
      if (parts.length > 0) this.#items.add(item);
      this.#emit({ kind: 'message', parts, usage, id: item.stored.id });
      progress.text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      if (end.kind === 'cancelled') return this.#stopped(given, last);
      const calls = parts.filter((part) => part.kind === 'call');
      if (calls.length > 0) {
        const ending = (await this.#call(calls, signal)).find(({ isInterrupting }) => isInterrupting === true);
        if (ending) return { kind: 'failed', error: ending.error ?? new HostError('denied', ENDED), isSent: true };
      }
      // A paused API goes on from its own last words. One that has said nothing would pause for ever.
      else if (end.reason !== 'paused' || parts.length === 0) {
        const kind = TERMINAL[end.reason];
        if (kind !== 'done' || !(await this.#mustGoOn(held, progress.text, signal))) return { kind };
        held++;
      }
    }
  }

  /** Whether a hook gives the model more to do. `held`: how often one did in this turn. */
  async #mustGoOn(held: number, lastMessage: string, signal: AbortSignal): Promise<boolean> {
    const { hooks } = this.#options;
    if (hooks?.has('Stop') !== true || held >= HOLDS) return false;
    const verdict = await hooks.stopping({ isActive: held > 0, lastMessage }, signal);
    if (verdict.kind === 'end' || signal.aborted) return false;
    this.#addHostWords(`[From a hook of the user, which wants you to go on] ${verdict.reason}`);
    return true;
  }

  /** Reads what the model has to know about the servers by now. The first call decides what it is shown. */
  #look(): void {
    const { host, restored, journal } = this.#options;
    const isFirst = this.#view === undefined;
    const known = isFirst ? restored?.told : undefined;
    const view = host.forModel(this.#model.profile, { ...this.#viewOptions, ...(known && { known }) });
    this.#view = view;
    if (isFirst && restored) {
      const { name } = this.#model;
      const isForeign = (item: StoredItem): boolean => item.kind === 'message' && item.model !== name;
      this.#items.restore(toReadableItems(restored.items, { write: view.toolResults, isForeign, ids: this.#ids }));
    }
    if (isFirst || view.news !== undefined) journal?.told(view.told());
    this.#tell(view.news);
  }

  #tell(news: string | undefined): void {
    if (news === undefined) return;
    this.#addHostWords(news);
    this.#emit({ kind: 'news', text: news });
  }

  #addHostWords(text: string): void {
    this.#items.add(toItem({ role: 'user', parts: [{ kind: 'text', text }] }, { from: 'host' }));
  }

  #toRequest(items: readonly ConversationItem[]): ModelRequest {
    const { tools, system } = this.#view!;
    const { instructions = STABLE_INSTRUCTIONS, surroundings: environment = '' } = this.#options;
    const { providerTools = [] } = this.#model;
    return {
      tools: [...providerTools, ...tools],
      system: [instructions, [system, environment].filter((part) => part !== '').join('\n\n')].filter(
        (part) => part !== '',
      ),
      messages: items.map(({ message }) => message),
    };
  }

  #ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    return readModelAnswer(this.#model.stream(request, signal), {
      signal,
      ids: this.#ids,
      onEvent: (event) => {
        if (event.kind === 'provider-result') {
          const { kind: _, isError, ...call } = event;
          const outcome = isError ? 'error' : 'ok';
          this.#options.host.recordProviderCall({ ...call, outcome, conversation: this.#options.watched });
        }
        this.#emit(event);
      },
    });
  }

  /** Every call gets a result, even when it is cancelled. */
  async #call(calls: readonly ToolCallPart[], signal: AbortSignal): Promise<readonly CallResult[]> {
    const { host, journal, watched: conversation } = this.#options;
    const order = host.inOrder();
    const results = await Promise.all(
      calls.map(async ({ id, name, input, fault }) => {
        this.#emit({ kind: 'call', id, name, input });
        const result =
          fault === undefined
            ? await order.call({
                callId: id,
                name,
                input,
                signal,
                conversation,
                onProgress: (progress) => this.#emit({ kind: 'progress', id, name, progress }),
              })
            : toUnread(id, name, fault);
        journal?.result(result);
        this.#emit({ kind: 'result', result });
        return result;
      }),
    );
    const item = toResultsItem(results, this.#view!.toolResults);
    this.#items.add(item);
    if (item.message.role === 'results') this.#emit({ kind: 'results', results: item.message.results });
    this.#look();
    return results;
  }

  /** Tells the model, which would take half an answer for a whole one. Unanswered messages are taken back. */
  #stopped(given: readonly ConversationItem[], last: ConversationItem | undefined): WorkEnd {
    const isSent = this.#items.all.at(-1) !== last;
    if (isSent) this.#addHostWords(STOPPED);
    else this.#takeBack(given);
    return { kind: 'cancelled', isSent };
  }

  /**
   * Replaces results that the API refuses, being too long or an image that it cannot read: it would refuse every later
   * message. The model reads that they cannot be shown. False when there are none, or that was tried.
   */
  #withhold(error: HostError): boolean {
    const at = this.#items.all.findLastIndex(({ message }) => message.role !== 'user');
    const stored = this.#items.all[at]?.stored;
    if (stored?.kind !== 'results' || !isRefusal(error)) return false;
    if (stored.results.every((result) => result.error?.code === 'model-failed')) return false;
    const withheld = stored.results.map((result) => toWithheld(result, error));
    const items = [toResultsItem(withheld, this.#view!.toolResults), ...this.#items.all.slice(at + 1)];
    this.#items.replaceFrom(at, items, 'withheld');
    this.#emit({ kind: 'retry', attempt: 1, afterMs: 0, reason: 'the results were refused' });
    return true;
  }

  /** Takes back what the model has not read, because the API would refuse it again with every later message. */
  #failed(error: HostError, given: readonly ConversationItem[], last: ConversationItem | undefined): WorkEnd {
    const isSent = this.#items.all.at(-1) !== last;
    if (!isSent) this.#takeBack(given);
    return { kind: 'failed', error, isSent };
  }

  #takeBack(given: readonly ConversationItem[]): void {
    const start = given.length === 0 ? -1 : this.#items.all.indexOf(given[0]!);
    if (start >= 0) this.#items.replaceFrom(start, [], 'taken-back');
  }

  /** Drops what an API refuses when it is sent back. `last`: the last item before the turn. */
  #finish(last: ConversationItem | undefined): void {
    // A conversation that was shortened meanwhile is looked at as a whole.
    const start = last === undefined ? 0 : this.#items.all.indexOf(last) + 1;
    const items = this.#items.all.slice(start);
    const kept = dropUnfinished(items.map(({ message }) => message)).flatMap((message, at) => {
      const item = items[at]!;
      if (!message || message.role !== 'assistant') return message ? [item] : [];
      return message === item.message ? [item] : [toItem(message, { model: this.#model.name })];
    });
    this.#items.replaceFrom(start, kept, 'taken-back');
  }

  #count(usage: Usage, request: ModelRequest): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#context.learn(request, usage);
    if (usage.input > 0) this.#filled = usage.input + usage.output;
  }

  /** Counts a request that is no part of the conversation. */
  #spend(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#emit({ kind: 'spent', usage });
  }

  #emit(event: SessionEvent): void {
    this.#options.onEvent?.(event);
  }

  get #viewOptions(): Pick<ForModelOptions, 'session' | 'conversation' | 'contextTokens'> {
    const { id, watched: conversation } = this.#options;
    return { session: `${id} ${this.#readings}`, conversation, contextTokens: this.#model.contextTokens };
  }
}

const ENDED = 'A hook of the user has ended the turn';
const HOLDS = 25; // a hook that never lets the model end would cost without end
const STOPPED = '[The user stopped you here. What was under way may not have been done.]';
