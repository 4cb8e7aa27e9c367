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

export interface SessionOptions {
  /** Opens the host with what a session brings along: the Agent tool, and a model for servers (`ports.model`, to be put beside other ports). */
  readonly openHost: (more: Pick<HostOptions, 'tools' | 'ports'>) => Host;
  /** Without one everything works that a person does by hand. */
  readonly model?: ModelPort | undefined;
  /** Servers are told that there is a model; they are where there is one, unless said otherwise. */
  readonly lendsModel?: boolean;
  readonly agents?: readonly AgentDefinition[];
  /** Behind what every conversation begins with. */
  readonly surroundings?: string;
  readonly maxTurns?: number | undefined;
  /** Contract: must not throw. */
  readonly onEvent: (event: SessionEvent) => void;
}

/** What became of something that the user said. */
export type Said = {
  /** What could not be read of what was mentioned, and the like; gated, a line each. */
  readonly notes: readonly string[];
} & (
  | { readonly kind: 'sent'; readonly end: SendEnd }
  /** It could not be said at all: a prompt that is missing an argument, a server that does not answer. */
  | { readonly kind: 'not-sent'; readonly error: HostError }
  /** There is no model; these would have been its messages. */
  | { readonly kind: 'no-model'; readonly messages: readonly Message[] }
);

/** A host, a model and their conversation. Disposing of it closes the host. */
export class Session implements AsyncDisposable {
  /** Of all that belongs to it, in what it writes down. */
  readonly id = randomUUID();
  readonly host: Host;
  readonly #options: SessionOptions;
  #model: ModelPort | undefined;
  #conversation: Conversation | undefined;
  /** Conversations so far: the model of the next one has read nothing of them. */
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

  get model(): ModelPort | undefined {
    return this.#model;
  }

  /** From the next message on. */
  useModel(model: ModelPort): void {
    this.#model = model;
    this.#conversation?.useModel(model);
  }

  /** The one that is going on; undefined before the first message, and after `clear`. */
  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  /** Of all conversations and sub-agents so far. */
  get usage(): Usage {
    return this.#usage;
  }

  /** The model forgets everything; servers stay as they are. */
  clear(): void {
    this.#conversation = undefined;
  }

  /** Reads `@server:uri` and `/mcp__server__prompt args`, sends it, and lets the model work until it is done. Never rejects. */
  async say(text: string, { signal = new AbortController().signal, piped = '' }: SpeakOptions = {}): Promise<Said> {
    const read = await readInput(this.host, { typed: text, piped }, signal);
    if (signal.aborted) return { kind: 'not-sent', error: new HostError('cancelled', 'Stopped'), notes: read.notes };
    if (read.kind === 'failed') return { kind: 'not-sent', error: read.error, notes: read.notes };
    return { ...(await this.send(read.messages, { signal })), notes: read.notes };
  }

  /** The same for messages that are made already. */
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

export interface SayOptions {
  readonly signal?: AbortSignal;
}

export interface SpeakOptions extends SayOptions {
  /**
   * Text that no person typed, from stdin or from another program: it stands behind the rest, what it mentions as `@server:uri` is decided
   * like a call of the model, and a `/mcp__server__prompt` in it is not run.
   */
  readonly piped?: string;
}
