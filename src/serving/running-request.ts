import type { JsonObject } from '../base/json.js';
import { isObject } from '../base/json.js';
import { CallSignal } from '../base/call-signal.js';
import type { InputRelay } from '../model/tool.js';
import type { RequestId } from '../wire/message.js';
import { LOG_LEVELS, quietness } from '../wire/log-level.js';
import type { Client, ClientRequest, Endpoint, Question, Served } from './endpoint.js';
import { notificationText, type Outlet } from './outgoing.js';

export interface RunningRequestOptions {
  readonly client: Client;
  readonly id: RequestId;
  readonly method: string;
  /** As the client sent them. */
  readonly params: JsonObject;
  readonly outlet: Outlet;
  /** The user has allowed this call in an earlier round. */
  readonly isPermitted?: boolean;
}

/** A request of a client that is being answered: what both eras have in common. */
export abstract class RunningRequest implements ClientRequest {
  readonly client: Client;
  readonly method: string;
  readonly params: JsonObject;
  readonly onProgress: ClientRequest['onProgress'];
  readonly #signal = new CallSignal();
  #progress = -Infinity;
  /** The client's own token; undefined where it wants no progress. */
  #token: unknown;

  #isPermitted: boolean;

  constructor({ client, method, params, isPermitted = false }: Omit<RunningRequestOptions, 'id' | 'outlet'>) {
    this.#isPermitted = isPermitted;
    this.client = client;
    this.method = method;
    const { own, token } = toOwnParams(params);
    this.params = own;
    this.#token = token;
    this.onProgress = token === undefined ? undefined : (progress) => this.#tellProgress(progress);
  }

  abstract readonly inputs: InputRelay | undefined;
  abstract readonly relays: boolean;
  abstract readonly logLevel: string | undefined;
  abstract ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** Whether the response has been sent. */
  abstract readonly isOver: boolean;
  /** Sends a notification on the request's own channel; dropped where that is closed. */
  protected abstract tell(text: string): void;

  /** A further request of the client takes the call up: its own token is good now, or none. */
  protected continueWith(params: JsonObject): void {
    this.#token = toOwnParams(params).token;
  }

  /** Has the endpoint answer. What it throws at once is an error like any other. */
  requestOf(endpoint: Endpoint): Promise<Served> {
    try {
      return endpoint.request(this);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  get isPermitted(): boolean {
    return this.#isPermitted;
  }

  permit(): void {
    this.#isPermitted = true;
  }

  /** The client cancelled the request, or is gone for good. */
  cancel(): void {
    this.#signal.abort(CANCELLED);
  }

  log({ level, logger, data }: Parameters<ClientRequest['log']>[0]): void {
    const { logLevel } = this;
    if (this.isOver || logLevel === undefined || quietness(level) < quietness(logLevel)) return;
    this.tell(notificationText('notifications/message', { level, ...(logger !== undefined && { logger }), data }));
  }

  #tellProgress({ progress, total, message }: { progress: number; total?: number; message?: string }): void {
    if (this.isOver || this.#token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    const told = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    this.tell(notificationText('notifications/progress', { progressToken: this.#token, progress, ...told }));
  }
}

/** Separates what the protocol has in `_meta` from what is the client's own. */
function toOwnParams(params: JsonObject): { readonly own: JsonObject; readonly token: unknown } {
  const { _meta: meta } = params;
  if (meta === undefined) return { own: params, token: undefined };
  const { _meta: _, ...rest } = params;
  if (!isObject(meta)) return { own: rest, token: undefined };
  const { progressToken } = meta;
  const token = isToken(progressToken) ? progressToken : undefined;
  let own: Record<string, unknown> | undefined;
  for (const key of Object.keys(meta)) {
    if (key === 'progressToken' || key.startsWith(PROTOCOL_PREFIX)) continue;
    Object.defineProperty((own ??= {}), key, {
      value: meta[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { own: own ? { ...rest, _meta: own } : rest, token };
}

function isToken(token: unknown): boolean {
  return typeof token === 'string' ? token.length <= TOKEN_LIMIT : Number.isSafeInteger(token);
}

/** The level of a request or of `logging/setLevel`; undefined where it is none. */
export function readLogLevel(level: unknown): string | undefined {
  return LOG_LEVELS.find((known) => known === level);
}

const PROTOCOL_PREFIX = 'io.modelcontextprotocol/';
const TOKEN_LIMIT = 1_000; // characters
const CANCELLED = 'the client cancelled the request';
