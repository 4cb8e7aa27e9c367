import { pause } from '../../base/pause.js';
import type { Clock } from '../../model/clock.js';
import type { Server } from './server.js';

/**
 * Servers that are gone from the configuration, or have another entry now, while calls of clients are still in flight
 * on the connection that all share. Other calls go to the new one by then.
 */
export class EndingServers {
  readonly #clock: Clock;
  /** With what closes each. */
  readonly #ending = new Map<Server, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(server: Server): boolean {
    return this.#ending.has(server);
  }

  /** Calls `close` once: when the last call has ended, at the latest after half a minute. */
  add(server: Server, close: () => void): void {
    this.#ending.set(server, close);
    void this.#wait(server);
  }

  /** Closes all now. */
  closeAll(): void {
    for (const server of this.#ending.keys()) this.#close(server);
  }

  async #wait(server: Server): Promise<void> {
    const until = this.#clock.monotonic() + GRACE_MS;
    // A lost connection is not opened again: its calls have ended, or wait for what nobody wants any more.
    while (server.inFlight > 0 && server.status.kind === 'connected' && this.#clock.monotonic() < until)
      await pause(LOOK_MS, { clock: this.#clock });
    this.#close(server);
  }

  #close(server: Server): void {
    const close = this.#ending.get(server);
    this.#ending.delete(server);
    close?.();
  }
}

const GRACE_MS = 30_000;
const LOOK_MS = 50;
