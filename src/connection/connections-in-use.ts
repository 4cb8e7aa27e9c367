import type { Connection } from './connect.js';

/**
 * Lines and who still waits for answers on them. One that is given up while others use it is closed by the last of them: what
 * became of their requests they hear from it, and not of its end.
 */
export class ConnectionsInUse {
  readonly #uses = new Map<Connection, number>();
  #pauses = 0;
  readonly #isCurrent: (link: Connection) => boolean;
  /** Ends that are under way. */
  readonly #closing = new Set<Promise<void>>();

  constructor(isCurrent: (link: Connection) => boolean) {
    this.#isCurrent = isCurrent;
  }

  /** Somebody waits for an answer on it, until `end`. */
  begin(link: Connection): void {
    this.#uses.set(link, (this.#uses.get(link) ?? 0) + 1);
  }

  end(link: Connection): void {
    const left = (this.#uses.get(link) ?? 0) - 1;
    if (left > 0) return void this.#uses.set(link, left);
    if (this.#uses.delete(link) && !this.#isCurrent(link)) this.close(link);
    if (this.#uses.size === 0) this.#pauses++;
  }

  /** How often there was nobody left who waited for anything. */
  get idlePeriods(): number {
    return this.#pauses;
  }

  /** Once nobody uses it. */
  giveUp(link: Connection): void {
    if (!this.#uses.has(link)) this.close(link);
  }

  /** At once. */
  close(link: Connection): void {
    this.#uses.delete(link);
    const closing = Promise.resolve(link[Symbol.asyncDispose]()).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  closeAll(): void {
    for (const link of this.#uses.keys()) this.close(link);
  }

  /** Resolves when everything that was being closed is gone. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }
}
