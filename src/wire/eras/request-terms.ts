import { isObject, type JsonObject } from '../../base/json.js';
import type { Caller } from '../../model/caller.js';
import { handlersOf, openersHandlers } from '../askable.js';
import type { RequestHandler } from '../inbound.js';
import { Envelope, TASKS_EXTENSION } from './envelope.js';
import type { OpenMcpSessionOptions } from './era.js';

/** What a modern request declares about its owner, and how the owner answers input requests. */
export interface RequestTerms {
  readonly envelope: Envelope;
  /** The principal that results with private cache scope are cached for. */
  readonly principal: string | undefined;
  readonly capabilities: Caller['capabilities'];
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly owner: Caller | undefined;
  /** Input requests that the owner is answering now. */
  questions: number;
}

/** The terms of all owners, created once per owner and protocol version. */
export class OwnersTerms {
  readonly version: string;
  /** The terms of the connection's own requests, and of those of its opener. */
  readonly own: RequestTerms;
  readonly #server: string;
  readonly #options: OpenMcpSessionOptions;
  readonly #others = new WeakMap<Caller, RequestTerms>();

  constructor(version: string, server: string, options: OpenMcpSessionOptions) {
    this.version = version;
    this.#server = server;
    this.#options = options;
    const { client, capabilities, opener } = options;
    const handlers = openersHandlers(options, server);
    const envelope = new Envelope(version, opener?.client ?? client, withTasks(capabilities));
    this.own = { envelope, principal: opener?.principal, capabilities, handlers, owner: opener, questions: 0 };
  }

  of(owner: Caller | undefined): RequestTerms {
    if (owner === undefined || owner === this.own.owner) return this.own;
    const known = this.#others.get(owner);
    if (known) return known;
    const { client, declares } = this.#options;
    const capabilities = declares?.(owner) ?? owner.capabilities;
    const terms: RequestTerms = {
      envelope: new Envelope(this.version, owner.client ?? client, withTasks(capabilities)),
      principal: owner.principal,
      capabilities,
      handlers: handlersOf(owner, this.#server),
      owner,
      questions: 0,
    };
    this.#others.set(owner, terms);
    return terms;
  }
}

/** Adds the tasks extension: every caller here can wait for a task. */
function withTasks(capabilities: Caller['capabilities']): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [TASKS_EXTENSION]: {} } };
}
