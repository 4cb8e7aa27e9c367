// Requests from the server: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';
import { handlersOf, isAskable, isDeclared, openersHandlers } from './askable.js';
import type { JsonRpcResponse, RequestId } from './message.js';
import type { Ownership } from './owners.js';

/** Answers one method that a server may call. A JsonRpcFailure that it throws is what the server gets to read. */
export type RequestHandler = (params: JsonObject, context: InboundContext) => object | Promise<object>;

export interface InboundContext {
  readonly signal: AbortSignal;
  /** The request of ours on whose own channel (the stream of its POST) the server asked. */
  readonly origin?: RequestId | undefined;
  /** Whose call the question belongs to; undefined where calls have no owners. */
  readonly owner?: Caller | undefined;
}

/** What a handler throws to answer with an error of its own. */
export class JsonRpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Who answers what a server asks on one connection. */
export interface ResponderOptions {
  /** Whom the connection was opened for; undefined for one that is shared, or where calls have no owners. */
  readonly opener?: Caller | undefined;
  /**
   * What is answered for the opener, and where calls have no owners: these methods and no others. Without handlers the opener answers
   * itself, as any other owner of a call does: `Caller.answer`.
   */
  readonly handlers?: Readonly<Record<string, RequestHandler>> | undefined;
  /** What this server is told that another owner can do: all of its capabilities, unless said otherwise. */
  readonly declares?: ((owner: Caller) => Caller['capabilities']) | undefined;
}

export interface InboundOptions extends ResponderOptions {
  /** The server's name. */
  readonly name: string;
  readonly ownerOf: (params: JsonObject, origin: RequestId | undefined) => Ownership;
  readonly reply: (response: JsonRpcResponse) => void;
}

/** A request of the server, as it came. */
export interface InboundRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  readonly origin: RequestId | undefined;
}

/** The requests of one server that are being answered. */
export class Inbound {
  readonly #options: InboundOptions;
  readonly #handlers: ReadonlyMap<string, RequestHandler>;
  readonly #reply: (response: JsonRpcResponse) => void;
  readonly #running = new Map<RequestId, AbortController>();

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#handlers = new Map([['ping', () => ({})], ...Object.entries(openersHandlers(options, options.name))]);
    this.#reply = options.reply;
  }

  take({ id, method, params: given, origin }: InboundRequest): void {
    if (!this.#handlers.has(method) && !isAskable(method)) return this.#fail(id, notFound());
    const params = isObject(given) ? given : {};
    // Whether this side is alive every server may know, whoever calls it.
    const ownership = method === 'ping' ? NOBODY : this.#options.ownerOf(params, origin);
    if (ownership.kind === 'unknown') {
      return this.#fail(
        id,
        new JsonRpcFailure(REFUSED, `${method} belongs to no call that is known: ${ownership.why}`),
      );
    }
    const { owner } = ownership;
    const handler = this.#handlerOf(method, params, owner);
    if (!handler) return this.#fail(id, notFound());
    if (this.#running.size >= RUNNING_LIMIT || this.#running.has(id)) {
      return this.#fail(id, new JsonRpcFailure(REFUSED, 'Too many requests at a time'));
    }
    return this.#run(id, (signal) => handler(params, { signal, origin, owner }));
  }

  /** The server takes a request of its own back. */
  cancel(id: unknown): void {
    if (typeof id === 'number' || typeof id === 'string') this.#running.get(id)?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #handlerOf(method: string, params: JsonObject, owner: Caller | undefined): RequestHandler | undefined {
    const { opener, handlers, declares, name } = this.#options;
    if (owner === undefined || (owner === opener && handlers)) return this.#handlers.get(method);
    const capabilities = declares?.(owner) ?? owner.capabilities;
    return isDeclared(method, params, capabilities) ? handlersOf(owner, name)[method] : undefined;
  }

  #run(id: RequestId, handle: (signal: AbortSignal) => object | Promise<object>): void {
    const controller = new AbortController();
    let answer: object | Promise<object>;
    try {
      answer = handle(controller.signal);
    } catch (error) {
      return this.#fail(id, error);
    }
    if (!(answer instanceof Promise)) return this.#reply({ jsonrpc: '2.0', id, result: answer });
    this.#running.set(id, controller);
    // One that was taken back gets no answer.
    const isWanted = (): boolean => this.#running.delete(id) && !controller.signal.aborted;
    answer.then(
      (result) => isWanted() && this.#reply({ jsonrpc: '2.0', id, result }),
      (error: unknown) => isWanted() && this.#fail(id, error),
    );
    return undefined;
  }

  #fail(id: RequestId, error: unknown): void {
    // What went wrong inside is not the server's business.
    const { code, message, data } =
      error instanceof JsonRpcFailure ? error : new JsonRpcFailure(INTERNAL_ERROR, 'Internal error');
    this.#reply({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }
}

function notFound(): JsonRpcFailure {
  return new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found');
}

const NOBODY: Ownership = { kind: 'owned', owner: undefined };
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;
const RUNNING_LIMIT = 64;
