import { isObject, type JsonObject } from '../../base/json.js';
import type { Caller } from '../../model/caller.js';
import { handlersOf, openersHandlers } from '../askable.js';
import type { RequestHandler } from '../inbound.js';
import { Envelope, TASKS_EXTENSION } from './envelope.js';
import type { OpenMcpSessionOptions } from './era.js';

/** What a modern request says of its owner, and how the owner answers what comes back for it. */
export interface RequestTerms {
  readonly envelope: Envelope;
  /** Results that a server calls private are cached for this principal alone. */
  readonly principal: string | undefined;
  readonly capabilities: Caller['capabilities'];
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly owner: Caller | undefined;
  /** Questions of the server that the owner is answering. */
  questions: number;
}

/** The terms of every owner that makes requests, each made once for one version of the protocol. */
export class OwnersTerms {
  readonly version: string;
  /** Of the connection: its own requests, and those of the caller that it was opened for. */
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

/** Whoever calls a tool here can wait for a task. */
function withTasks(capabilities: Caller['capabilities']): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [TASKS_EXTENSION]: {} } };
}
