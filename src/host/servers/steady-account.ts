import type { HostConfig } from '../../config/load.js';
import type { Catalogue } from '../../config/scope.js';

/** The account of the connectors, as the servers of a host were first connected with it: a token that was renewed makes no other connection. */
export class SteadyAccount {
  #known: Catalogue | undefined;

  /** The configuration as far as it tells connections apart. Requests read the token of now by themselves. */
  of(loaded: HostConfig): HostConfig {
    const { connectors } = loaded.settings;
    const known = this.#known;
    if (!connectors?.token || !known?.token || known.url !== connectors.url) this.#known = connectors;
    if (!this.#known || this.#known === connectors) return loaded;
    return { ...loaded, settings: { ...loaded.settings, connectors: this.#known } };
  }
}
