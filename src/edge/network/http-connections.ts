import type { Client, Dispatcher } from 'undici';
import { HostError } from '../../base/errors.js';

/** Where requests to one origin go. */
export interface HttpDispatcher {
  /** Whether a request would be sent now, on a connection that is there. */
  readonly hasFree: boolean;
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Resolves when all requests are over. None may be dispatched any more. */
  close(): Promise<void>;
  /** Ends all requests, and closes the connections. */
  destroy(): Promise<void>;
}

export interface HttpConnectionsOptions {
  /** Makes one connection, which is opened by its first request. */
  readonly open: () => Client;
  readonly most: number;
}

/**
 * Kept connections to one origin, with a request at a time on each. A request takes the first free one, or opens
 * another, or waits. Not undici's Pool: that keeps room for 2,048 waiting requests, 16 KB for each server.
 */
export class HttpConnections implements HttpDispatcher {
  readonly #options: HttpConnectionsOptions;
  readonly #connections: Connection[] = [];
  #waiting: Waiting[] = [];
  /** Index of the first one that waits: taking it out of a long array would move all others. */
  #first = 0;
  #onEmpty: (() => void) | undefined;
  #isDestroyed = false;

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
  }

  get hasFree(): boolean {
    return this.#connections.some(({ isBusy }) => !isBusy);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const free = this.#isDestroyed ? undefined : this.#free();
    if (this.#isDestroyed) handler.onError?.(closedError());
    else if (free) send(free, { options, handler });
    else this.#waiting.push({ options, handler });
  }

  async close(): Promise<void> {
    if (this.#isWaiting) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
    await Promise.all(this.#connections.map(({ client }) => client.close()));
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    const waiting = this.#waiting.slice(this.#first);
    this.#waiting = [];
    this.#first = 0;
    for (const { handler } of waiting) handler.onError?.(closedError());
    this.#onEmpty?.();
    await Promise.all(this.#connections.map(({ client }) => client.destroy()));
  }

  get #isWaiting(): boolean {
    return this.#first < this.#waiting.length;
  }

  #free(): Connection | undefined {
    for (const one of this.#connections) if (!one.isBusy) return one;
    return this.#connections.length < this.#options.most ? this.#add() : undefined;
  }

  #add(): Connection {
    const client = this.#options.open();
    const connection: Connection = { client, isBusy: false };
    this.#connections.push(connection);
    client.on('drain', () => {
      connection.isBusy = false;
      this.#goOn();
    });
    // The next request opens a new connection in place of one that could not be made.
    client.on('connectionError', () => {
      const at = this.#connections.indexOf(connection);
      if (at !== -1) this.#connections.splice(at, 1);
    });
    return connection;
  }

  /** Sends what waits, as long as there is a free connection. */
  #goOn(): void {
    while (this.#isWaiting && !this.#isDestroyed) {
      const free = this.#free();
      if (!free) return;
      const next = this.#waiting[this.#first]!;
      this.#waiting[this.#first++] = SENT;
      send(free, next);
    }
    this.#waiting = [];
    this.#first = 0;
    this.#onEmpty?.();
  }
}

interface Connection {
  readonly client: Client;
  isBusy: boolean;
}

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

/** Takes the place of a request that was sent, so that the queue does not keep it alive. */
const SENT: Waiting = { options: { path: '', method: 'GET' }, handler: {} };

function closedError(): HostError {
  return new HostError('connection-closed', 'The connection was closed');
}

function send(connection: Connection, { options, handler }: Waiting): void {
  const { client } = connection;
  // A request that undici refuses, for a header that cannot be sent, is over at once: nothing will say so later.
  if (!client.dispatch(options, handler) && client.stats.size > 0) connection.isBusy = true;
}
