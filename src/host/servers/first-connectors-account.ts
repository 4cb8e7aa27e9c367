import type { HostConfig } from '../../config/load.js';
import type { ConnectorService } from '../../config/scope.js';

/** The connectors account with which the servers were first connected: a renewed token does not replace connections. */
export class FirstConnectorsAccount {
  #known: ConnectorService | undefined;

  /** The configuration for comparing connections. Requests read the current token themselves. */
  of(loaded: HostConfig): HostConfig {
    const { connectors } = loaded.settings;
    const known = this.#known;
    if (!connectors?.token || !known?.token || known.url !== connectors.url) this.#known = connectors;
    if (!this.#known || this.#known === connectors) return loaded;
    return { ...loaded, settings: { ...loaded.settings, connectors: this.#known } };
  }
}
