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
import { BatchOutlet, NOWHERE } from './batch-outlet.js';
import { errorResponseText, INVALID_REQUEST, type Outlet, resultResponseText, toRpcError } from './outgoing.js';
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
  /** The first modern one: all that the connection says of its client belong to one session. */
  #modernUsed: ReturnType<ModernClients['of']> | undefined;
  #isOver = false;
  /** The modern requests in flight, subscriptions included. */
  readonly #exchanges = new Map<RequestId, ModernExchange>();
  readonly #subscriptions = new Set<ModernExchange>();
  #legacy: LegacyClient | undefined;
  #inFlight = 0;
  #idle: (() => void)[] = [];

  constructor(options: ConnectionClientOptions) {
    this.#options = options;
  }

  /** Takes a parsed message, or a batch of them. */
  takeValue(value: unknown): void {
    // A message may arrive after the connection that its answer would go to.
    if (this.#isOver) return undefined;
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
    for (const message of messages) this.#take(message, (id) => this.#counted(batch.part(id), id));
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
    if (this.#isOver) return;
    this.#isOver = true;
    for (const exchange of this.#exchanges.values()) exchange.gone();
    this.#exchanges.clear();
    this.#legacy?.end();
    if (this.#modernUsed) this.#options.endpoint.left(this.#modernUsed);
  }

  #take(message: Incoming, outletOf: (id: RequestId | null) => Outlet): void {
    const { kind } = message;
    // Others have no response, for which a batch would wait.
    const outlet = kind === 'request' || kind === 'invalid' ? outletOf(message.id) : NOWHERE;
    try {
      this.#answer(message, outlet);
    } catch (error) {
      // What nobody expected costs this message, not the connection.
      if (kind === 'request') outlet.reply(errorResponseText(message.id, toRpcError(error)));
    }
  }

  #answer(message: Incoming, outlet: Outlet): void {
    const { kind } = message;
    if (kind === 'request' && isModern(message.params)) return this.#takeModern(message, outlet);
    if (kind === 'notification' && this.#isOfExchange(message)) return undefined;
    if (this.#legacy) return void takeLegacyMessage(this.#legacy, message, outlet);
    if (kind === 'request' && message.method === 'initialize') return this.#initialize(message, outlet);
    if (kind === 'request' && message.method === 'ping') return outlet.reply(resultResponseText(message.id, '{}'));
    if (kind !== 'request' && kind !== 'invalid') return undefined;
    const why =
      kind === 'invalid' ? message.why : `${message.method} needs initialize before it, or the _meta of 2026-07-28`;
    return outlet.reply(errorResponseText(message.id, new JsonRpcFailure(INVALID_REQUEST, why)));
  }

  #initialize({ id, params }: RequestMessage, outlet: Outlet): void {
    const { endpoint, principal, out } = this.#options;
    const client = new LegacyClient(toAgreement(params, principal), endpoint, new SessionRecord());
    this.#legacy = client;
    const answer = async (): Promise<void> => {
      const result = resultResponseText(id, JSON.stringify(await toInitializeResult(client, endpoint)));
      outlet.reply(result);
      // A watch that is opened after the end would never be closed.
      if (!this.#isOver) client.opened({ send: (text) => out.inform(text) });
    };
    answer().catch((error: unknown) => outlet.reply(errorResponseText(id, toRpcError(error))));
  }

  #takeModern(request: RequestMessage, outlet: Outlet): void {
    const { endpoint, principal, services, path } = this.#options;
    const { id, params } = request;
    const envelope = this.#whyNot(request) ?? readEnvelope(params);
    if (envelope instanceof JsonRpcFailure) return outlet.reply(errorResponseText(id, envelope));
    const client = this.#modern.of(principal, this.#session, envelope);
    this.#modernUsed ??= client;
    let isAnswered = false;
    const answered = (): void => {
      isAnswered = true;
      if (this.#exchanges.get(id) === exchange) this.#forget(id);
    };
    const watched: Outlet = {
      send: (text) => outlet.send(text),
      reply: (text) => {
        answered();
        outlet.reply(text);
      },
      drop: () => {
        answered();
        outlet.drop();
      },
    };
    let exchange: ModernExchange | undefined;
    exchange = takeModernRequest(request, { client, endpoint, path, envelope, services, outlet: watched });
    // A retry may be answered at once, with the questions that it did not answer.
    if (!exchange || isAnswered) return undefined;
    this.#exchanges.set(id, exchange);
    if (exchange.close) this.#subscriptions.add(exchange);
    return undefined;
  }

  #whyNot({ id, method }: RequestMessage): JsonRpcFailure | undefined {
    // Its response could not be told from that of the first one.
    if (this.#exchanges.has(id)) return new JsonRpcFailure(INVALID_REQUEST, 'The id is in use');
    if (this.#exchanges.size >= RUNNING_LIMIT)
      return new JsonRpcFailure(REFUSED, 'The connection has too many requests in flight');
    if (method === 'subscriptions/listen' && this.#subscriptions.size >= SUBSCRIPTION_LIMIT)
      return new JsonRpcFailure(REFUSED, `A connection has at most ${SUBSCRIPTION_LIMIT} subscriptions`);
    return undefined;
  }

  /** Whether the notification was about a modern request. */
  #isOfExchange({ method, params }: Extract<Incoming, { kind: 'notification' }>): boolean {
    if (method !== 'notifications/cancelled') return false;
    const { requestId } = params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return false;
    const exchange = this.#exchanges.get(requestId);
    if (!exchange) return false;
    this.#forget(requestId);
    exchange.gone();
    this.#ended();
    return true;
  }

  #outlet(id: RequestId | null): Outlet {
    const { out } = this.#options;
    return this.#counted(
      { send: (text) => out.inform(text), reply: (response) => out.write(String(response)), drop: () => {} },
      id,
    );
  }

  /** Counts the request as in flight until it is answered. */
  #counted(outlet: Outlet, id: RequestId | null): Outlet {
    if (id === null) return outlet;
    this.#inFlight++;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
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

  #forget(id: RequestId): void {
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    if (exchange) this.#subscriptions.delete(exchange);
  }

  #ended(): void {
    this.#inFlight--;
    if (this.#inFlight > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const BATCH_LIMIT = 100;
const RUNNING_LIMIT = 10_000;
const SUBSCRIPTION_LIMIT = 100;
const REFUSED = -32000;
