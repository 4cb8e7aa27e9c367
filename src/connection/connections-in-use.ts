import type { Connection } from './connect.js';

/**
 * Counts the requests in flight on each connection. A connection that is given up while others use it is closed by the
 * last of them, so that these requests get their own responses and do not fail by the close.
 */
export class ConnectionsInUse {
  readonly #uses = new Map<Connection, number>();
  #pauses = 0;
  readonly #isCurrent: (link: Connection) => boolean;
  /** Connections being closed. */
  readonly #closing = new Set<Promise<void>>();

  constructor(isCurrent: (link: Connection) => boolean) {
    this.#isCurrent = isCurrent;
  }

  /** Counts a request in flight on this connection, until `end`. */
  begin(link: Connection): void {
    this.#uses.set(link, (this.#uses.get(link) ?? 0) + 1);
  }

  end(link: Connection): void {
    const left = (this.#uses.get(link) ?? 0) - 1;
    if (left > 0) return void this.#uses.set(link, left);
    if (this.#uses.delete(link) && !this.#isCurrent(link)) this.close(link);
    if (this.#uses.size === 0) this.#pauses++;
  }

  /** Number of times that the last request in flight has ended. */
  get idlePeriods(): number {
    return this.#pauses;
  }

  /** Closes the connection when its last request in flight has ended; at once if there is none. */
  giveUp(link: Connection): void {
    if (!this.#uses.has(link)) this.close(link);
  }

  /** Closes the connection at once. */
  close(link: Connection): void {
    this.#uses.delete(link);
    const closing = Promise.resolve(link[Symbol.asyncDispose]()).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  closeAll(): void {
    for (const link of this.#uses.keys()) this.close(link);
  }

  /** Resolves when all connections that are being closed have closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }
}
