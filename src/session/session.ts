import { HostError } from '../base/errors.js';
import { keepResults } from '../edge/spill/keep-results.js';
import { randomUUID } from '../edge/random-hex.js';
import type { Host } from '../host/host.js';
import type { FollowedConversation, HostOptions } from '../host/host-options.js';
import type { AgentDefinition } from './agent.js';
import { agentTool } from './agent-tool.js';
import type { SessionEndReason, SessionStartSource } from '../model/hooks/session-hooks.js';
import type { CompactEnd, CompactRequest } from './compaction/compactor.js';
import { Conversation } from './conversation.js';
import type { Journal, StoredConversation } from './journal.js';
import { askPromptHooks } from './prompt-hooks.js';
import type { SendEnd, SendOptions } from './send-end.js';
import type { Message } from './message.js';
import { addUsage, type ModelPort, NO_USAGE, type Usage } from './model-port.js';
import { toSamplingPort } from './sampling-model.js';
import type { SessionEvent } from './session-event.js';
import { readInput } from './user-input.js';

/** What a session is made of. */
export interface SessionOptions {
  /** Opens the host with what a session adds: the Agent tool, and `ports.model` to put beside other ports. */
  readonly openHost: (more: Pick<HostOptions, 'tools' | 'ports' | 'session'>) => Host;
  /** Without a model, everything works that the user does by hand. */
  readonly model?: ModelPort | undefined;
  /** Offers the model to servers (sampling); by default where there is one. */
  readonly lendsModel?: boolean;
  readonly agents?: readonly AgentDefinition[];
  /** Replaces the beginning of the system prompt; what servers say stays. */
  readonly instructions?: string | undefined;
  /** Comes after the beginning that all conversations share. */
  readonly surroundings?: string;
  readonly maxTurns?: number | undefined;
  /** A UUID; a new one by default. */
  readonly id?: string | undefined;
  /** Keeps each conversation under its session id; without it nothing is kept. Contract: must not throw. */
  readonly openJournal?: ((id: string) => Journal | undefined) | undefined;
  /** A conversation that was kept, to go on with. */
  readonly restored?: StoredConversation | undefined;
  /** What hooks are told about the beginning. Default: `resume` with a restored conversation, else `startup`. */
  readonly startSource?: SessionStartSource | undefined;
  /** Contract: must not throw. */
  readonly onEvent: (event: SessionEvent) => void;
}

/** The outcome of a message of the user. */
export type Said = {
  /** Mentions that could not be read, and the like; gated, a line each. */
  readonly notes: readonly string[];
} & (
  | { readonly kind: 'sent'; readonly end: SendEnd }
  /** The message could not be made: a prompt lacks an argument, or a server does not answer. */
  | { readonly kind: 'not-sent'; readonly error: HostError }
  /** There is no model; these messages would have been sent. */
  | { readonly kind: 'no-model'; readonly messages: readonly Message[] }
);

/** A host, a model and their conversation. Disposing of it closes the host. */
export class Session implements AsyncDisposable {
  /** The host whose tools the model has. */
  readonly host: Host;
  readonly #options: SessionOptions;
  #model: ModelPort | undefined;
  #conversation: Conversation | undefined;
  /** The conversation that is under way, for hooks and for its file. */
  #chapter: Chapter;
  #promptId: string | undefined;
  #followed: FollowedConversation;
  #usage: Usage = NO_USAGE;
  /** Settled when files that a restored conversation mentions count as used. */
  readonly #kept: Promise<void>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = options.model;
    const { restored } = options;
    const source = options.startSource ?? (restored ? 'resume' : 'startup');
    this.#chapter = this.#begin(options.id ?? randomUUID(), source, restored);
    const { lendsModel = options.model !== undefined } = options;
    const tool = agentTool({
      host: () => this.host,
      model: () => this.#model,
      agents: options.agents ?? [],
      ...(options.surroundings !== undefined && { environment: options.surroundings }),
      onEvent: (event) => this.#emit(event),
    });
    this.host = options.openHost({
      tools: [tool],
      session: () => ({ id: this.id, transcriptPath: this.#chapter.journal?.path, promptId: this.#promptId }),
      ports: lendsModel
        ? {
            model: toSamplingPort(
              () => this.#model,
              (event) => this.#emit(event),
            ),
          }
        : {},
    });
    this.#followed = this.#follow(restored);
    this.#kept = keepResults(filesIn(restored));
    // As lists come, while the user still types. What goes wrong goes wrong in the first turn, too.
    if (this.#model) void this.host.prepared(this.#model.profile).catch(() => {});
  }

  /** The id of the session in all that it records: a UUID. A new conversation, after `clear`, has a new one. */
  get id(): string {
    return this.#chapter.id;
  }

  /** The model that answers; undefined while none is chosen. */
  get model(): ModelPort | undefined {
    return this.#model;
  }

  /** Uses another model from the next message on. */
  useModel(model: ModelPort): void {
    this.#model = model;
    this.#conversation?.useModel(model);
  }

  /** The current conversation; undefined before the first message, and after `clear`. */
  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** The sum of all conversations and sub-agents so far, and of what servers asked the model. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Ends the conversation, so that the model forgets everything; servers stay as they are. */
  async clear(): Promise<void> {
    const before = this.#chapter;
    const isBusy = this.#conversation?.isBusy === true;
    this.#conversation = undefined;
    this.#chapter = this.#begin(randomUUID(), 'clear', undefined);
    const followed = this.#followed;
    this.#followed = this.#follow(undefined);
    // A turn that still goes on, which its caller could stop, is watched as before.
    if (!isBusy) followed[Symbol.dispose]();
    await this.#leave(before, 'clear');
  }

  /** Has the model summarise older messages, which are replaced by the summary. Never rejects. */
  async compact(request: CompactRequest = {}): Promise<CompactEnd> {
    const conversation = this.#open();
    if (!conversation || conversation.items.length === 0) {
      const error = new HostError('usage', 'There is no conversation yet', { hint: 'Write to the model first' });
      return { kind: 'failed', error };
    }
    const { instructions = '', signal = new AbortController().signal } = request;
    // What the user writes to the model passes the same hooks, whatever command it follows.
    const asked: Message = { role: 'user', parts: [{ kind: 'text', text: instructions }] };
    const about = { signal, begins: undefined, model: conversation.model.name };
    const checked = instructions === '' ? undefined : await askPromptHooks(this.host.sessionHooks, [asked], about);
    if (checked?.kind === 'blocked') return { kind: 'failed', error: checked.error };
    return conversation.compact(request);
  }

  /** Resolves `@server:uri` and `/mcp__server__prompt args`, sends the text, lets the model work. Never rejects. */
  async say(
    text: string,
    { signal = new AbortController().signal, piped = '', mayRun }: SpeakOptions = {},
  ): Promise<Said> {
    const read = await readInput(this.host, { typed: text, piped, mayRun, conversation: this.id }, signal);
    if (signal.aborted) return { kind: 'not-sent', error: new HostError('cancelled', 'Stopped'), notes: read.notes };
    if (read.kind === 'failed') return { kind: 'not-sent', error: read.error, notes: read.notes };
    const typed = text === '' ? piped : text; // a prompt of another program is all piped
    if (typed !== piped && piped !== '') this.#followed.given(piped, 'stdin');
    return { ...(await this.send(read.messages, { signal, typed })), notes: read.notes };
  }

  /** Sends messages as they are, and lets the model work until it is done. Never rejects. */
  async send(
    messages: readonly Message[],
    { signal = new AbortController().signal, typed }: SendOptions = {},
  ): Promise<Said> {
    const conversation = this.#open();
    if (!conversation) return { kind: 'no-model', messages, notes: [] };
    this.#promptId = randomUUID();
    this.#followed.typed(typed ?? textOf(messages));
    const checked = await askPromptHooks(this.host.sessionHooks, messages, {
      signal,
      begins: this.#chapter.hasBegun ? undefined : this.#chapter.source,
      model: conversation.model.name,
    });
    this.#chapter.hasBegun = true;
    if (checked.kind === 'blocked') return { kind: 'not-sent', error: checked.error, notes: [] };
    return { kind: 'sent', end: await conversation.send(checked.messages, { signal, typed }), notes: [] };
  }

  /** The conversation, which begins where there is none yet; undefined without a model. */
  #open(): Conversation | undefined {
    const model = this.#model;
    if (!model) return undefined;
    const { instructions, surroundings: environment, maxTurns } = this.#options;
    const { id, journal, restored } = this.#chapter;
    this.#conversation ??= new Conversation({
      host: this.host,
      model,
      id,
      watched: id,
      ...(instructions !== undefined && { instructions }),
      ...(environment !== undefined && { surroundings: environment }),
      maxTurns,
      journal,
      restored,
      hooks: this.host.sessionHooks,
      onEvent: (event) => this.#emit(event),
    });
    return this.#conversation;
  }

  /** Has the flow guard watch the conversation, with all that its sub-agents read and send. */
  #follow(restored: StoredConversation | undefined): FollowedConversation {
    const { id, journal } = this.#chapter;
    return this.host.followConversation(id, {
      restored: restored && rememberedOf(restored),
      onRecord: journal && ((record) => journal.flow?.(record)),
    });
  }

  #begin(id: string, source: SessionStartSource, restored: StoredConversation | undefined): Chapter {
    return { id, source, restored, journal: this.#options.openJournal?.(id), hasBegun: false };
  }

  async #leave({ hasBegun, journal }: Chapter, reason: SessionEndReason): Promise<void> {
    if (hasBegun && this.host.sessionHooks.has('SessionEnd')) await this.host.sessionHooks.ended(reason);
    await journal?.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave(this.#chapter, 'other');
    await this.#kept;
    await this.host[Symbol.asyncDispose]();
  }

  #emit(event: SessionEvent): void {
    const own = event.kind === 'agent' ? event.event : event;
    if (own.kind === 'message' || own.kind === 'spent' || (own.kind === 'sampling' && own.phase === 'ended'))
      this.#usage = addUsage(this.#usage, own.usage);
    this.#options.onEvent(event);
  }
}

/** The saved results that a conversation mentions, also in its summary. */
function filesIn(restored: StoredConversation | undefined): readonly string[] {
  return (restored?.items ?? []).flatMap((item) => {
    if (item.kind === 'results') return item.results.flatMap(({ saved }) => saved.map(({ path }) => path));
    const lines = 'files' in item ? (item.files ?? []) : [];
    return lines.map((line) => line.slice(2, line.lastIndexOf(' ('))); // as the summary tells them
  });
}

/** What the guard remembers of a session. One with results and nothing remembered has read what nobody knows. */
function rememberedOf({ items, flow = [] }: StoredConversation): readonly object[] {
  const isForgotten = flow.length === 0 && items.some(({ kind }) => kind === 'results');
  return isForgotten ? [{}] : flow;
}

function textOf(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) =>
    message.role === 'user' ? message.parts.map((part) => (part.kind === 'text' ? part.text : '')) : [],
  );
  return texts.join('\n');
}

/** One conversation of a session, from its beginning to `clear`. */
interface Chapter {
  readonly id: string;
  readonly source: SessionStartSource;
  readonly restored: StoredConversation | undefined;
  readonly journal: Journal | undefined;
  /** Whether hooks have heard of it. */
  hasBegun: boolean;
}

/** Options of one input of the user. */
export interface SayOptions {
  readonly signal?: AbortSignal;
}

/** Options of one input of the user that is not all typed. */
export interface SpeakOptions extends SayOptions {
  /**
   * Text that the user did not type, from stdin or another program. It comes after the rest; its `@server:uri` mentions
   * are decided like calls of the model, and a `/mcp__server__prompt` in it is not run, unless `mayRun`.
   */
  readonly piped?: string;
  /** With `piped` alone: a prompt or skill that it names is run, and decided about like a call of the model. */
  readonly mayRun?: boolean;
}
