import type { Connection } from './connect.js';

/**
 * Counts the requests in flight on each connection. A connection that is given up while others use it is closed by the
 * last of them, so that these requests get their own responses and do not fail by the close.
 */
export class ConnectionsInUse {
  readonly #uses = new Map<Connection, number>();
  #idlePeriods = 0;
  readonly #isCurrent: (connection: Connection) => boolean;
  /** Connections being closed. */
  readonly #closing = new Set<Promise<void>>();

  constructor(isCurrent: (connection: Connection) => boolean) {
    this.#isCurrent = isCurrent;
  }

  /** Counts a request in flight on this connection, until `end`. */
  begin(connection: Connection): void {
    this.#uses.set(connection, (this.#uses.get(connection) ?? 0) + 1);
  }

  end(connection: Connection): void {
    const left = (this.#uses.get(connection) ?? 0) - 1;
    if (left > 0) return void this.#uses.set(connection, left);
    if (this.#uses.delete(connection) && !this.#isCurrent(connection)) this.close(connection);
    if (this.#uses.size === 0) this.#idlePeriods++;
  }

  /** Number of times that the last request in flight has ended. */
  get idlePeriods(): number {
    return this.#idlePeriods;
  }

  get isAnyInUse(): boolean {
    return this.#uses.size > 0;
  }

  /** Closes the connection when its last request in flight has ended; at once if there is none. */
  giveUp(connection: Connection): void {
    if (!this.#uses.has(connection)) this.close(connection);
  }

  /** Closes the connection at once. */
  close(connection: Connection): void {
    this.#uses.delete(connection);
    const closing = Promise.resolve(connection[Symbol.asyncDispose]()).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  closeAll(): void {
    for (const connection of this.#uses.keys()) this.close(connection);
  }

  /** Resolves when all connections that are being closed have closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }
}
