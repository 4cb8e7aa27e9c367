import type { Clock } from '../model/clock.js';
import type { ReconnectLimits, ServerEvent, ServerStatus } from '../model/status.js';
import type { PipeWarning } from '../wire/pipe.js';
import type { CatalogChange } from './catalog/catalog.js';
import type { CachedCatalogFile } from './catalog/catalog-files.js';
import type { ConnectOptions } from './connect.js';
import type { ConnectionFactory, ConnectableServer } from './connection-factory.js';

export interface ServerLifecycleOptions {
  readonly server: ConnectableServer;
  readonly connectionFactory: ConnectionFactory;
  readonly clock: Clock;
  /** From 0 to 1, by chance. */
  readonly random: () => number;
  readonly limits: ReconnectLimits;
  /** For starting, reaching and greeting the server, all tries together. */
  readonly timeoutMs: number;
  /** For each of its lists; a minute unless said. */
  readonly listMs?: number | undefined;
  /** Waits for a place among those that start; rejects only when the signal aborts. */
  readonly takeSlot: (signal: AbortSignal) => Promise<Slot>;
  /** Whom the connection is opened for, and where the server's notifications go besides the catalog; asked for by the first start. */
  readonly serving?: () => Pick<ConnectOptions, 'opener' | 'handlers' | 'capabilities' | 'declares' | 'onNotification'>;
  /** Where its catalog is kept from run to run. */
  readonly catalogFile?: CachedCatalogFile | undefined;
  readonly onStatus: (change: StatusChange) => void;
  readonly onCatalog: (change: CatalogChange) => void;
  readonly onWarning: (warning: PipeWarning) => void;
}

/** A place among the servers that start at the same time. */
export interface Slot {
  /** The server runs: from now on it only waits. */
  received(): void;
  /** Twice is fine. */
  release(): void;
}

export interface StatusChange {
  readonly before: ServerStatus;
  readonly after: ServerStatus;
  readonly event: ServerEvent;
}
