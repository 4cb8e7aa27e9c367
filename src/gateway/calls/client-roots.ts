import { isObject, type JsonObject } from '../../base/json.js';
import { within } from '../../base/within.js';
import type { Client } from '../../serving/endpoint.js';
import { JsonRpcFailure } from '../../wire/inbound.js';

/** The roots of a client. Kept only where the client tells when they change. */
export class ClientRoots {
  readonly #tells: boolean;
  #known: Promise<JsonObject> | undefined;

  constructor({ era, capabilities: { roots } }: Client) {
    this.#tells = era === 'legacy' && isObject(roots) && roots['listChanged'] === true;
  }

  changed(): void {
    this.#known = undefined;
  }

  /** `ask`: asks the client. Rejects as it does, and when the signal aborts. */
  async get(ask: () => Promise<JsonObject>, signal: AbortSignal): Promise<JsonObject> {
    if (!this.#tells) return ask();
    const before = this.#known;
    if (before) {
      const told = await within(before, { signal, instead: () => undefined }).catch(() => undefined);
      if (told) return told;
      if (signal.aborted) throw new JsonRpcFailure(CANCELLED, 'Nobody waits for the roots any more');
      // The call that asked first may have been cancelled.
    }
    const asked = ask();
    this.#known = asked;
    asked.catch(() => {
      if (this.#known === asked) this.#known = undefined;
    });
    return asked;
  }
}

const CANCELLED = -32_603;
