// Requests from the server: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
import { isObject, type JsonObject } from '../base/json.js';
import type { Caller } from '../model/caller.js';
import { handlersOf, isAskable, isDeclared, openersHandlers } from './askable.js';
import type { JsonRpcResponse, RequestId } from './message.js';
import type { Ownership } from './owners.js';

/** Answers one method that a server may call. A thrown JsonRpcFailure is sent to the server as the error. */
export type RequestHandler = (params: JsonObject, context: InboundContext) => object | Promise<object>;

export interface InboundContext {
  readonly signal: AbortSignal;
  /** Our request on whose own channel (the stream of its POST) the server asked. */
  readonly origin?: RequestId | undefined;
  /** The owner of the call that the request belongs to; undefined where calls have no owners. */
  readonly owner?: Caller | undefined;
}

/** Thrown by a handler to send its own JSON-RPC error. */
export class JsonRpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Who answers the server's requests on one connection. */
export interface ResponderOptions {
  /** The caller that the connection was opened for; undefined when it is shared, or where calls have no owners. */
  readonly opener?: Caller | undefined;
  /**
   * Answers for the opener, and for all where calls have no owners: these methods only. Without handlers the opener
   * answers by `Caller.answer`, as other owners do.
   */
  readonly handlers?: Readonly<Record<string, RequestHandler>> | undefined;
  /** The capabilities declared to this server for another owner; all of the owner's by default. */
  readonly declares?: ((owner: Caller) => Caller['capabilities']) | undefined;
  /** Removes the server's secrets from what its callers are asked and told. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The server asks, and does not say for which call. Contract: must not throw. */
  readonly onUnmarkedQuestion?: (() => void) | undefined;
}

export interface InboundOptions extends ResponderOptions {
  readonly name: string;
  readonly ownerOf: (params: JsonObject, origin: RequestId | undefined) => Ownership;
  /** Whether nobody waits for the calls any more that a request of this owner, on this channel, can belong to. */
  readonly isGivenUp: (owner: Caller | undefined, origin: RequestId | undefined) => boolean;
  /** Another call of the owner's group that a request may as well belong to, where the owner's own call has ended. */
  readonly nextOwner: (
    owner: Caller | undefined,
    params: JsonObject,
    origin: RequestId | undefined,
  ) => Caller | undefined;
  readonly reply: (response: JsonRpcResponse) => void;
}

/** A request of the server, unchecked. */
export interface InboundRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  readonly origin: RequestId | undefined;
}

/** The server's requests that are being answered. */
export class Inbound {
  readonly #options: InboundOptions;
  readonly #handlers: ReadonlyMap<string, RequestHandler>;
  readonly #reply: (response: JsonRpcResponse) => void;
  readonly #running = new Map<RequestId, Running>();

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#handlers = new Map([['ping', () => ({})], ...Object.entries(openersHandlers(options, options.name))]);
    this.#reply = options.reply;
  }

  take({ id, method, params: given, origin }: InboundRequest): void {
    if (!this.#handlers.has(method) && !isAskable(method)) return this.#fail(id, notFound());
    const params = isObject(given) ? given : {};
    // A ping needs no owner.
    const ownership = method === 'ping' ? NOBODY : this.#options.ownerOf(params, origin);
    // Roots are asked for as a connection opens.
    if (origin === undefined && isAskable(method) && (method !== ROOTS || ownership.kind === 'unknown'))
      this.#options.onUnmarkedQuestion?.();
    if (ownership.kind === 'unknown') {
      return this.#fail(
        id,
        new JsonRpcFailure(REFUSED, `${method} belongs to no call that is known: ${ownership.why}`),
      );
    }
    const { owner } = ownership;
    // A model costs money, and nobody would read what comes of it.
    if (method === SAMPLING && this.#options.isGivenUp(owner, origin)) return this.#fail(id, givenUp());
    const handler = this.#handlerOf(method, params, owner);
    if (!handler) return this.#fail(id, notFound());
    if (this.#running.size >= RUNNING_LIMIT || this.#running.has(id)) {
      return this.#fail(id, new JsonRpcFailure(REFUSED, 'Too many requests at a time'));
    }
    return this.#run(id, { origin, owner }, (signal) => {
      const answer = handler(params, { signal, origin, owner });
      return answer instanceof Promise && owner?.group
        ? this.#elsewhere(answer, { method, params, origin, owner, signal })
        : answer;
    });
  }

  /**
   * The newest call of a client is only the likeliest that a request belongs to. Where that call ends before anybody has
   * answered, the next one is asked.
   */
  async #elsewhere(
    first: Promise<object>,
    { method, params, origin, owner: asked, signal }: OwnedRequest,
  ): Promise<object> {
    let answer = first;
    let owner: Caller | undefined = asked;
    for (;;) {
      try {
        return await answer;
      } catch (error) {
        owner = signal.aborted ? undefined : this.#options.nextOwner(owner, params, origin);
        const handler = owner && this.#handlerOf(method, params, owner);
        if (!handler) throw error;
        answer = Promise.resolve(handler(params, { signal, origin, owner }));
      }
    }
  }

  /** Calls were cancelled: what the server asked because of them is not answered any more. */
  giveUp(): void {
    for (const [id, { controller, owner, origin }] of this.#running) {
      if (!this.#options.isGivenUp(owner, origin)) continue;
      this.#running.delete(id);
      controller.abort();
      this.#fail(id, givenUp());
    }
  }

  /** The server cancels one of its own requests. */
  cancel(id: unknown): void {
    if (typeof id === 'number' || typeof id === 'string') this.#running.get(id)?.controller.abort();
  }

  cancelAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #handlerOf(method: string, params: JsonObject, owner: Caller | undefined): RequestHandler | undefined {
    const { opener, handlers, declares, redact, name } = this.#options;
    if (owner === undefined || (owner === opener && handlers)) return this.#handlers.get(method);
    const capabilities = declares?.(owner) ?? owner.capabilities;
    return isDeclared(method, params, capabilities) ? handlersOf(owner, { server: name, redact })[method] : undefined;
  }

  #run(
    id: RequestId,
    asked: Omit<Running, 'controller'>,
    handle: (signal: AbortSignal) => object | Promise<object>,
  ): void {
    const controller = new AbortController();
    let answer: object | Promise<object>;
    try {
      answer = handle(controller.signal);
    } catch (error) {
      return this.#fail(id, error);
    }
    if (!(answer instanceof Promise)) return this.#reply({ jsonrpc: '2.0', id, result: answer });
    this.#running.set(id, { ...asked, controller });
    // A cancelled request gets no response.
    const isWanted = (): boolean => this.#running.delete(id) && !controller.signal.aborted;
    answer.then(
      (result) => isWanted() && this.#reply({ jsonrpc: '2.0', id, result }),
      (error: unknown) => isWanted() && this.#fail(id, error),
    );
    return undefined;
  }

  #fail(id: RequestId, error: unknown): void {
    // Internal errors are not revealed to the server.
    const { code, message, data } =
      error instanceof JsonRpcFailure ? error : new JsonRpcFailure(INTERNAL_ERROR, 'Internal error');
    this.#reply({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }
}

interface OwnedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly origin: RequestId | undefined;
  readonly owner: Caller;
  readonly signal: AbortSignal;
}

interface Running {
  readonly controller: AbortController;
  readonly owner: Caller | undefined;
  readonly origin: RequestId | undefined;
}

function givenUp(): JsonRpcFailure {
  return new JsonRpcFailure(REFUSED, 'The call that it belongs to was cancelled');
}

function notFound(): JsonRpcFailure {
  return new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found');
}

const NOBODY: Ownership = { kind: 'owned', owner: undefined };
const SAMPLING = 'sampling/createMessage';
const ROOTS = 'roots/list';
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;
const RUNNING_LIMIT = 256; // a client of a gateway may leave a hundred questions open
