import { randomUUID } from 'node:crypto';
import { JsonRpcFailure } from '../wire/inbound.js';
import type { RequestId } from '../wire/message.js';
import type { Endpoint } from './endpoint.js';
import { type Incoming, type RequestMessage, toIncoming } from './incoming.js';
import { toAgreement } from './legacy/agreement.js';
import { LegacyClient } from './legacy/legacy-client.js';
import { takeLegacyMessage, toInitializeResult } from './legacy/legacy-messages.js';
import { SessionRecord } from './legacy/session-record.js';
import { isModern, readEnvelope } from './modern/envelope.js';
import { ModernClients } from './modern/modern-client.js';
import { type ModernExchange, takeModernRequest } from './modern/modern-messages.js';
import type { ModernServices } from './modern/modern-request.js';
import { BatchOutlet } from './batch-outlet.js';
import { errorResponseText, INVALID_REQUEST, type Outlet, resultResponseText } from './outgoing.js';
import { hasBatches } from './revision/revisions.js';

export interface ConnectionClientOptions {
  readonly endpoint: Endpoint;
  readonly principal: string;
  readonly services: ModernServices;
  readonly path: string;
  readonly out: ConnectionOutput;
}

/** Where all messages to one client go. Contract: does not throw. */
export interface ConnectionOutput {
  /** Writes a message that the client waits for. */
  write(text: string): void;
  /** Writes a notification or question. False: the client does not read. */
  inform(text: string): boolean;
}

/** The client of one connection that carries everything: stdio, or HTTP+SSE. It may probe with `server/discover` first and then send `initialize`. */
export class ConnectionClient {
  readonly #options: ConnectionClientOptions;
  readonly #modern = new ModernClients();
  /** A connection is one session, in the modern era too. */
  readonly #session = randomUUID();
  readonly #modernUsed = new Set<ReturnType<ModernClients['of']>>();
  /** The modern requests in flight, subscriptions included. */
  readonly #exchanges = new Map<RequestId, ModernExchange>();
  #legacy: LegacyClient | undefined;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(options: ConnectionClientOptions) {
    this.#options = options;
  }

  /** Takes a parsed message, or a batch of them. */
  takeValue(value: unknown): void {
    if (!Array.isArray(value)) return this.#take(toIncoming(value), (id) => this.#outlet(id));
    const takesBatches = this.#legacy !== undefined && hasBatches(this.#legacy.revision);
    if (takesBatches && value.length > 0 && value.length <= BATCH_LIMIT) return this.#takeBatch(value.map(toIncoming));
    const why = `Batches belong to 2025-03-26, with 1 to ${BATCH_LIMIT} messages`;
    return this.#options.out.write(errorResponseText(null, new JsonRpcFailure(INVALID_REQUEST, why)));
  }

  /** The responses go together. */
  #takeBatch(messages: readonly Incoming[]): void {
    const { out } = this.#options;
    const batch = new BatchOutlet(
      (text) => out.write(text),
      (text) => out.inform(text),
    );
    for (const message of messages) this.#take(message, (id) => this.#counted(batch.part(), id));
    batch.close();
  }

  /** Resolves when no request is in flight. */
  settled(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  closeSubscriptions(): void {
    for (const exchange of this.#exchanges.values()) exchange.close?.();
  }

  /** The client is gone: all of its requests are cancelled. */
  end(): void {
    for (const exchange of this.#exchanges.values()) exchange.gone();
    this.#exchanges.clear();
    this.#legacy?.end();
    for (const client of this.#modernUsed) this.#options.endpoint.left(client);
  }

  #take(message: Incoming, outletOf: (id: RequestId | null) => Outlet): void {
    const { kind } = message;
    if (kind === 'request' && isModern(message.params)) return this.#takeModern(message, outletOf(message.id));
    if (kind === 'notification' && this.#isOfExchange(message)) return undefined;
    if (this.#legacy)
      return takeLegacyMessage(this.#legacy, message, kind === 'request' ? outletOf(message.id) : outletOf(null));
    if (kind === 'request' && message.method === 'initialize') return this.#initialize(message, outletOf(message.id));
    if (kind === 'request' && message.method === 'ping')
      return outletOf(message.id).reply(resultResponseText(message.id, '{}'));
    if (kind === 'request' || kind === 'invalid') {
      const why =
        kind === 'invalid' ? message.why : `${message.method} needs initialize before it, or the _meta of 2026-07-28`;
      return outletOf(null).reply(errorResponseText(message.id, new JsonRpcFailure(INVALID_REQUEST, why)));
    }
    return undefined;
  }

  #initialize({ id, params }: RequestMessage, outlet: Outlet): void {
    const { endpoint, principal, out } = this.#options;
    const client = new LegacyClient(toAgreement(params, principal), endpoint, new SessionRecord());
    this.#legacy = client;
    const answer = async (): Promise<void> => {
      outlet.reply(resultResponseText(id, JSON.stringify(await toInitializeResult(client, endpoint))));
      client.opened({ send: (text) => out.inform(text) });
    };
    void answer();
  }

  #takeModern(request: RequestMessage, outlet: Outlet): void {
    const { endpoint, principal, services, path } = this.#options;
    const { id, params } = request;
    const envelope = readEnvelope(params);
    // Its response could not be told from that of the first one.
    if (this.#exchanges.has(id))
      return outlet.reply(errorResponseText(id, new JsonRpcFailure(INVALID_REQUEST, 'The id is in use')));
    if (envelope instanceof JsonRpcFailure) return outlet.reply(errorResponseText(id, envelope));
    const client = this.#modern.of(principal, this.#session, envelope);
    this.#modernUsed.add(client);
    const exchange = takeModernRequest(request, { client, endpoint, path, envelope, services, outlet });
    if (exchange) this.#exchanges.set(id, exchange);
    return undefined;
  }

  /** Whether the notification was about a modern request. */
  #isOfExchange({ method, params }: Extract<Incoming, { kind: 'notification' }>): boolean {
    if (method !== 'notifications/cancelled') return false;
    const { requestId } = params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return false;
    const exchange = this.#exchanges.get(requestId);
    if (!exchange) return false;
    this.#exchanges.delete(requestId);
    exchange.gone();
    this.#ended();
    return true;
  }

  #outlet(id: RequestId | null): Outlet {
    const { out } = this.#options;
    return this.#counted({ send: (text) => out.inform(text), reply: (text) => out.write(text), drop: () => {} }, id);
  }

  /** Counts the request as in flight until it is answered. */
  #counted(outlet: Outlet, id: RequestId | null): Outlet {
    if (id === null) return outlet;
    this.#inFlight++;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#exchanges.delete(id);
      this.#ended();
    };
    return {
      send: (text) => outlet.send(text),
      reply: (text) => {
        outlet.reply(text);
        over();
      },
      drop: () => {
        outlet.drop();
        over();
      },
    };
  }

  #ended(): void {
    this.#inFlight--;
    if (this.#inFlight > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const BATCH_LIMIT = 100;
