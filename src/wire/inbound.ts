// Requests from the server: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
import { isObject } from '../base/json.js';
import type { JsonObject, JsonRpcResponse, RequestId } from './message.js';

/** Answers one method that a server may call. A JsonRpcFailure that it throws is what the server gets to read. */
export type RequestHandler = (
  params: JsonObject,
  context: { readonly signal: AbortSignal },
) => object | Promise<object>;

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

export interface InboundOptions {
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly reply: (response: JsonRpcResponse) => void;
}

/** The requests of one server that are being answered. */
export class Inbound {
  readonly #handlers: ReadonlyMap<string, RequestHandler>;
  readonly #reply: (response: JsonRpcResponse) => void;
  readonly #running = new Map<RequestId, AbortController>();

  constructor({ handlers, reply }: InboundOptions) {
    this.#handlers = new Map([['ping', () => ({})], ...Object.entries(handlers)]);
    this.#reply = reply;
  }

  take(id: RequestId, method: string, params: unknown): void {
    const handler = this.#handlers.get(method);
    if (!handler) return this.#fail(id, new JsonRpcFailure(METHOD_NOT_FOUND, 'Method not found'));
    if (this.#running.size >= RUNNING_LIMIT || this.#running.has(id)) {
      return this.#fail(id, new JsonRpcFailure(REFUSED, 'Too many requests at a time'));
    }
    return this.#run({ id, handler, params: isObject(params) ? params : {} });
  }

  /** The server takes a request of its own back. */
  cancel(id: unknown): void {
    if (typeof id === 'number' || typeof id === 'string') this.#running.get(id)?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  #run({ id, handler, params }: { id: RequestId; handler: RequestHandler; params: JsonObject }): void {
    const controller = new AbortController();
    let answer: object | Promise<object>;
    try {
      answer = handler(params, { signal: controller.signal });
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

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;
const RUNNING_LIMIT = 64;
