import { HostError } from '../base/errors.js';
import { randomUUID } from '../edge/random-hex.js';
import type { Host } from '../host/host.js';
import type { HostOptions } from '../host/host-options.js';
import type { AgentDefinition } from './agent.js';
import { agentTool } from './agent-tool.js';
import { Conversation, type SendEnd } from './conversation.js';
import type { Message } from './message.js';
import { addUsage, type ModelPort, NO_USAGE, type Usage } from './model-port.js';
import { toSamplingPort } from './sampling-model.js';
import type { SessionEvent } from './session-event.js';
import { readInput } from './user-input.js';

/** What a session is made of. */
export interface SessionOptions {
  /** Opens the host with what a session adds: the Agent tool, and `ports.model` to put beside other ports. */
  readonly openHost: (more: Pick<HostOptions, 'tools' | 'ports'>) => Host;
  /** Without a model, everything works that the user does by hand. */
  readonly model?: ModelPort | undefined;
  /** Offers the model to servers (sampling); by default where there is one. */
  readonly lendsModel?: boolean;
  readonly agents?: readonly AgentDefinition[];
  /** Comes after the beginning that all conversations share. */
  readonly surroundings?: string;
  readonly maxTurns?: number | undefined;
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
  /** The id of the session in all that it records. */
  readonly id = randomUUID();
  /** The host whose tools the model has. */
  readonly host: Host;
  readonly #options: SessionOptions;
  #model: ModelPort | undefined;
  #conversation: Conversation | undefined;
  /** Conversations so far; each starts anew for the model. */
  #count = 0;
  #usage: Usage = NO_USAGE;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#model = options.model;
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
      ports: lendsModel ? { model: toSamplingPort(() => this.#model) } : {},
    });
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

  /** The sum of all conversations and sub-agents so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Ends the conversation, so that the model forgets everything; servers stay as they are. */
  clear(): void {
    this.#conversation = undefined;
  }

  /** Resolves `@server:uri` and `/mcp__server__prompt args`, sends the text, lets the model work. Never rejects. */
  async say(text: string, { signal = new AbortController().signal, piped = '' }: SpeakOptions = {}): Promise<Said> {
    const read = await readInput(this.host, { typed: text, piped }, signal);
    if (signal.aborted) return { kind: 'not-sent', error: new HostError('cancelled', 'Stopped'), notes: read.notes };
    if (read.kind === 'failed') return { kind: 'not-sent', error: read.error, notes: read.notes };
    return { ...(await this.send(read.messages, { signal })), notes: read.notes };
  }

  /** Sends messages as they are, and lets the model work until it is done. Never rejects. */
  async send(messages: readonly Message[], options: SayOptions = {}): Promise<Said> {
    const model = this.#model;
    if (!model) return { kind: 'no-model', messages, notes: [] };
    const { surroundings: environment, maxTurns } = this.#options;
    this.#conversation ??= new Conversation({
      host: this.host,
      model,
      id: `${this.id} ${++this.#count}`,
      ...(environment !== undefined && { surroundings: environment }),
      maxTurns,
      onEvent: (event) => this.#emit(event),
    });
    return { kind: 'sent', end: await this.#conversation.send(messages, options), notes: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
  }

  #emit(event: SessionEvent): void {
    const own = event.kind === 'agent' ? event.event : event;
    if (own.kind === 'message') this.#usage = addUsage(this.#usage, own.usage);
    this.#options.onEvent(event);
  }
}

/** Options of one input of the user. */
export interface SayOptions {
  readonly signal?: AbortSignal;
}

/** Options of one input of the user that is not all typed. */
export interface SpeakOptions extends SayOptions {
  /**
   * Text that the user did not type, from stdin or another program. It comes after the rest; its `@server:uri` mentions
   * are decided like calls of the model, and a `/mcp__server__prompt` in it is not run.
   */
  readonly piped?: string;
}
