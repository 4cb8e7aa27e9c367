import type { Server } from '../../host/servers/server.js';
import { waitForKnownCatalog } from '../../host/servers/server-access.js';

/**
 * Waits for servers that have never listed anything: once for each, because many clients read a list once and never
 * again. A list does not wait for a server that is slow every time.
 */
export class Arrivals {
  readonly #awaited = new WeakMap<Server, Promise<unknown>>();

  /** Resolves when all have listed what they have, have failed, or 5 s have passed. Never rejects. */
  async known(servers: readonly Server[]): Promise<void> {
    const unknown = servers.filter(({ catalog }) => catalog.source === 'none');
    if (unknown.length === 0) return;
    await Promise.all(unknown.map((server) => this.#known(server)));
  }

  #known(server: Server): Promise<unknown> {
    const waiting = this.#awaited.get(server) ?? waitForKnownCatalog(server, { timeoutMs: FIRST_MS });
    this.#awaited.set(server, waiting);
    return waiting;
  }
}

const FIRST_MS = 5_000;
