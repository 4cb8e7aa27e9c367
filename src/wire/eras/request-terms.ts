import { isObject, type JsonObject } from '../../base/json.js';
import { type Caller, groupOf } from '../../model/caller.js';
import { handlersOf, openersHandlers } from '../askable.js';
import type { RequestHandler } from '../inbound.js';
import { Envelope, TASKS_EXTENSION, toldClient } from './envelope.js';
import type { OpenMcpSessionOptions } from './era.js';

/** What a modern request declares about its owner. */
export interface RequestTerms {
  readonly envelope: Envelope;
  /** The principal that results with private cache scope are cached for. */
  readonly principal: string | undefined;
  readonly capabilities: Caller['capabilities'];
}

/** Who answers the input requests of a result, and as what. */
export interface AnswerTerms {
  readonly capabilities: Caller['capabilities'];
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly owner: Caller | undefined;
  /** Input requests that the owner is answering now. */
  questions: number;
}

/** The terms of all owners, created once per group of callers and protocol version; who answers, when it is asked. */
export class OwnersTerms {
  readonly version: string;
  /** The terms of the connection's own requests, and of those of its opener. */
  readonly own: RequestTerms;
  readonly #server: string;
  readonly #options: OpenMcpSessionOptions;
  readonly #others = new WeakMap<Caller, RequestTerms>();
  readonly #answering = new WeakMap<Caller, AnswerTerms>();
  #ownAnswering: AnswerTerms | undefined;

  constructor(version: string, server: string, options: OpenMcpSessionOptions) {
    this.version = version;
    this.#server = server;
    this.#options = options;
    const { client, capabilities, opener } = options;
    const envelope = new Envelope(version, toldClient(opener, client), withTasks(capabilities));
    this.own = { envelope, principal: opener?.principal, capabilities };
  }

  of(owner: Caller | undefined): RequestTerms {
    if (owner === undefined) return this.own;
    const group = groupOf(owner);
    return group === this.#options.opener ? this.own : (this.#others.get(group) ?? this.#create(group));
  }

  #create(group: Caller): RequestTerms {
    const { client, declares } = this.#options;
    const capabilities = declares?.(group) ?? group.capabilities;
    const told = group.waitsForTasks === false ? capabilities : withTasks(capabilities);
    const envelope = new Envelope(this.version, toldClient(group, client), told);
    const terms = { envelope, principal: group.principal, capabilities };
    this.#others.set(group, terms);
    return terms;
  }

  answering(owner: Caller | undefined): AnswerTerms {
    const { opener, redact } = this.#options;
    if (owner === undefined || owner === opener) {
      const handlers = openersHandlers(this.#options, this.#server);
      return (this.#ownAnswering ??= { capabilities: this.own.capabilities, handlers, owner: opener, questions: 0 });
    }
    const known = this.#answering.get(owner);
    if (known) return known;
    const { capabilities } = this.of(owner);
    const handlers = handlersOf(owner, { server: this.#server, redact });
    const terms: AnswerTerms = { capabilities, handlers, owner, questions: 0 };
    this.#answering.set(owner, terms);
    return terms;
  }
}

/** Adds the tasks extension: nearly every caller here can wait for a task. */
function withTasks(capabilities: Caller['capabilities']): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [TASKS_EXTENSION]: {} } };
}
