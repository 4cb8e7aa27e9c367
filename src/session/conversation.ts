import { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import type { Host } from '../host/host.js';
import type { CallResult } from '../host/host-options.js';
import type { ModelTurn } from '../host/tools/model-views.js';
import { refusedResult } from '../model/failed-result.js';
import type { CostReport } from '../model/view/tool-cost.js';
import { type ModelAnswer, type AnswerEnd, readModelAnswer } from './model-answer.js';
import { STABLE_INSTRUCTIONS } from './instructions.js';
import type { Message, ToolCallPart } from './message.js';
import { addUsage, type ModelPort, NO_USAGE, type Usage } from './model-port.js';
import { dropUnfinished } from './drop-unfinished.js';
import type { SessionEvent } from './session-event.js';
import { PortableIds, toPortable } from './to-portable.js';

/** What a conversation is made of. */
export interface ConversationOptions {
  readonly host: Host;
  readonly model: ModelPort;
  /** Distinguishes the conversations of one host. */
  readonly id: string;
  /** The first part of the system prompt, the same in every conversation. Default: `STABLE_INSTRUCTIONS`. */
  readonly instructions?: string;
  /** What holds only here and today; comes after what servers say. */
  readonly surroundings?: string;
  /** How often the model may be asked for one message of the user; no limit by default. */
  readonly maxTurns?: number | undefined;
  /** Contract: must not throw. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** How the answer to a message ended. */
export type SendEnd = {
  /** How often the model was asked. */
  readonly turns: number;
  readonly usage: Usage;
  /** The text of the model's last answer. */
  readonly text: string;
} & (
  | { readonly kind: 'done' }
  /** The answer reached its length limit. */
  | { readonly kind: 'length' }
  /** The provider did not let the model answer. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'max-turns' }
  /** `isSent`: the model has answered to the messages; otherwise they were taken back. */
  | { readonly kind: 'cancelled'; readonly isSent: boolean }
  | { readonly kind: 'failed'; readonly error: HostError; readonly isSent: boolean }
);

/**
 * A model's conversation with the tools of a host. It only grows: what the model has read is sent again byte by byte,
 * and changes come as new messages. Every call always has its result, so it can go on after any stop.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #messages: Message[] = [];
  /** The call results behind each `results` message: another API needs them in another format. */
  #results = new Map<Message, readonly CallResult[]>();
  readonly #ids = new Set<string>();
  #model: ModelPort;
  /** Replaces `#model` when the `send` under way has ended. */
  #nextModel: ModelPort | undefined;
  #view: ModelTurn | undefined;
  #usage: Usage = NO_USAGE;
  #filled = 0;
  /** How many messages the last `send` was given. */
  #given = 0;
  #isBusy = false;
  /** How many models have read the conversation; each sees the servers as they are then, and is told of changes. */
  #readings = 1;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  /** The model that answers. */
  get model(): ModelPort {
    return this.#model;
  }

  /** What was said so far. */
  get messages(): readonly Message[] {
    return this.#messages;
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
    if (before.name === model.name && before.profile === model.profile) {
      this.#model = model;
      return;
    }
    this.#model = model;
    this.#readings++;
    const view = this.#options.host.forModel(model.profile, this.#viewOptions);
    const results = new Map<Message, readonly CallResult[]>();
    const ids = new PortableIds(this.#ids);
    const messages = this.#messages.flatMap((message): Message[] => {
      const answers = this.#results.get(message)?.map((one) => ({ ...one, callId: ids.rename(one.callId) }));
      if (!answers) return toPortable(message, ids);
      const written: Message = { role: 'results', results: view.toolResults(answers) };
      results.set(written, answers);
      return [written];
    });
    this.#messages.splice(0, Infinity, ...messages);
    this.#results = results;
    this.#view = view;
    this.#tell(view.news);
  }

  /** Lets the model work until it is done. Never rejects; aborting the signal ends it at any point. */
  async send(
    messages: readonly Message[],
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<SendEnd> {
    if (this.#isBusy) {
      const error = new HostError('usage', 'The model still works on your last message', {
        hint: 'Wait for the answer, or cancel it',
      });
      return { kind: 'failed', error, isSent: false, turns: 0, usage: NO_USAGE, text: '' };
    }
    this.#isBusy = true;
    const progress: Progress = { turns: 0, text: '', usage: NO_USAGE };
    const from = this.#messages.length;
    try {
      const end = await this.#work(messages, signal, progress);
      this.#messages.push(...dropUnfinished(this.#messages.splice(from)));
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

  async #work(messages: readonly Message[], signal: AbortSignal, progress: Progress): Promise<WorkEnd> {
    this.#look();
    const start = this.#messages.length;
    this.#messages.push(...messages);
    this.#given = messages.length;
    const { maxTurns = Infinity } = this.#options;
    for (;;) {
      if (signal.aborted) return this.#stopped(start);
      if (progress.turns >= maxTurns) return { kind: 'max-turns' };
      progress.turns++;
      const { parts, end, usage } = await this.#ask(signal);
      this.#count(usage);
      progress.usage = addUsage(progress.usage, usage);
      if (end.kind === 'failed' && this.#withhold(end.error)) continue;
      if (end.kind === 'failed') return this.#failed(end.error, start);
      if (parts.length > 0) this.#messages.push({ role: 'assistant', parts });
      this.#emit({ kind: 'message', parts, usage });
      progress.text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      if (end.kind === 'cancelled') return this.#stopped(start);
      const calls = parts.filter((part) => part.kind === 'call');
      if (calls.length > 0) await this.#call(calls, signal);
      // A paused API goes on from its own last words. One that has said nothing would pause for ever.
      else if (end.reason !== 'paused' || parts.length === 0) return { kind: TERMINAL[end.reason] };
    }
  }

  /** Reads what the model has to know about the servers by now. The first call decides what it is shown. */
  #look(): void {
    this.#view = this.#options.host.forModel(this.#model.profile, this.#viewOptions);
    this.#tell(this.#view.news);
  }

  #tell(news: string | undefined): void {
    if (news === undefined) return;
    this.#messages.push({ role: 'user', parts: [{ kind: 'text', text: news }] });
    this.#emit({ kind: 'news', text: news });
  }

  async #ask(signal: AbortSignal): Promise<ModelAnswer> {
    const { tools, system } = this.#view!;
    const { instructions = STABLE_INSTRUCTIONS, surroundings: environment = '' } = this.#options;
    const { providerTools = [] } = this.#model;
    const events = this.#model.stream(
      {
        tools: [...providerTools, ...tools],
        system: [instructions, [system, environment].filter((part) => part !== '').join('\n\n')].filter(
          (part) => part !== '',
        ),
        messages: [...this.#messages],
      },
      signal,
    );
    return readModelAnswer(events, {
      signal,
      ids: this.#ids,
      onEvent: (event) => {
        if (event.kind === 'provider-result') {
          const { id, name, isError } = event;
          this.#options.host.recordProviderCall({ id, name, outcome: isError ? 'error' : 'ok' });
        }
        this.#emit(event);
      },
    });
  }

  /** Every call gets a result, even when it is cancelled. */
  async #call(calls: readonly ToolCallPart[], signal: AbortSignal): Promise<void> {
    const view = this.#view!;
    const order = this.#options.host.inOrder();
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
                onProgress: (progress) => this.#emit({ kind: 'progress', id, name, progress }),
              })
            : toUnread(id, name, fault);
        this.#emit({ kind: 'result', result });
        return result;
      }),
    );
    const written = view.toolResults(results);
    const message: Message = { role: 'results', results: written };
    this.#messages.push(message);
    this.#results.set(message, results);
    this.#emit({ kind: 'results', results: written });
    this.#look();
  }

  /** Tells the model, which would take half an answer for a whole one. Unanswered messages are taken back. */
  #stopped(start: number): WorkEnd {
    const isSent = this.#isAnswered(start);
    if (isSent) this.#messages.push({ role: 'user', parts: [{ kind: 'text', text: STOPPED }] });
    else this.#messages.splice(start);
    return { kind: 'cancelled', isSent };
  }

  /**
   * Replaces results that the API refuses, being too long or an image that it cannot read: it would refuse every later
   * message. The model reads that they cannot be shown. False when there are none, or that was tried.
   */
  #withhold(error: HostError): boolean {
    const at = this.#messages.findLastIndex(({ role }) => role !== 'user');
    const message = this.#messages[at];
    const results = message && this.#results.get(message);
    if (!results || !isRefusal(error) || results.every((result) => result.error?.code === 'model-failed')) return false;
    const withheld = results.map((result) => toWithheld(result, error));
    const written: Message = { role: 'results', results: this.#view!.toolResults(withheld) };
    this.#messages[at] = written;
    this.#results.delete(message);
    this.#results.set(written, withheld);
    this.#emit({ kind: 'retry', attempt: 1, afterMs: 0, reason: 'the results were refused' });
    return true;
  }

  /** Takes back what the model has not read, because the API would refuse it again with every later message. */
  #failed(error: HostError, start: number): WorkEnd {
    const isSent = this.#isAnswered(start);
    if (!isSent) this.#messages.splice(start);
    return { kind: 'failed', error, isSent };
  }

  /** Whether the model has added anything. The given messages themselves may have both roles (a server's prompt). */
  #isAnswered(start: number): boolean {
    return this.#messages.length > start + this.#given;
  }

  #count(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    if (usage.input > 0) this.#filled = usage.input + usage.output;
  }

  #emit(event: SessionEvent): void {
    this.#options.onEvent?.(event);
  }

  get #viewOptions(): { readonly session: string; readonly contextTokens: number } {
    return { session: `${this.#options.id} ${this.#readings}`, contextTokens: this.#model.contextTokens };
  }
}

interface Progress {
  turns: number;
  text: string;
  usage: Usage;
}

type WorkEnd =
  | { readonly kind: 'done' | 'length' | 'refused' | 'max-turns' }
  | { readonly kind: 'cancelled'; readonly isSent: boolean }
  | { readonly kind: 'failed'; readonly error: HostError; readonly isSent: boolean };

function isRefusal({ code, detail }: HostError): boolean {
  return code === 'model-failed' && detail?.kind === 'http' && REFUSED.has(detail.status);
}

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

function toWithheld(result: CallResult, { message }: HostError): CallResult {
  const text = `The call was made (${result.outcome}), but what came of it cannot be shown to you: ${message}. Ask for less of it, or in another form.`;
  const error = new HostError('model-failed', text);
  const { structuredContent: _, ...rest } = result;
  return { ...rest, content: [{ type: 'text', text }], error };
}

/** The result of a call that is not made, because its input could not be parsed. */
function toUnread(callId: string, name: string, fault: string): CallResult {
  const error = new HostError('bad-input', `The call of ${name} was not made: ${fault}`, {
    hint: 'Write its arguments as one JSON object',
  });
  return { ...refusedResult(error), server: undefined, tool: undefined, name, calledAs: name, callId, ms: 0 };
}

const TERMINAL: Readonly<Record<Extract<AnswerEnd, { kind: 'end' }>['reason'], 'done' | 'length' | 'refused'>> = {
  done: 'done',
  calls: 'done', // the API announced calls, and sent none
  paused: 'done',
  other: 'done',
  length: 'length',
  refused: 'refused',
};
const STOPPED = '[The user stopped you here. What was under way may not have been done.]';
