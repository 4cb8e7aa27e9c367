import type { Clock } from '../model/clock.js';
import type { ReconnectLimits, ServerEvent, ServerStatus } from '../model/status.js';
import type { PipeWarning } from '../wire/pipe.js';
import type { CatalogChange } from './catalog/catalog.js';
import type { CachedCatalogFile } from './catalog/catalog-files.js';
import type { ConnectOptions } from './connect.js';
import type { ConnectionFactory, ConnectableServer } from './connection-factory.js';

/** What every line to a server needs. */
export interface LineOptions {
  readonly server: ConnectableServer;
  readonly connectionFactory: ConnectionFactory;
  readonly clock: Clock;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly limits: ReconnectLimits;
  /** Milliseconds to start or reach the server and complete the handshake, all attempts together. */
  readonly timeoutMs: number;
  /** Waits for a slot among the servers that start; rejects only when the signal aborts. */
  readonly takeSlot: (signal: AbortSignal) => Promise<Slot>;
  /** For whom to connect, and who else receives notifications. Called once, by the first start. */
  readonly serving?: () => Pick<
    ConnectOptions,
    'opener' | 'handlers' | 'capabilities' | 'declares' | 'onNotification' | 'onUnmarkedQuestion'
  >;
  readonly onStatus: (change: StatusChange) => void;
  readonly onWarning: (warning: PipeWarning) => void;
}

export interface ServerLifecycleOptions extends LineOptions {
  /** Timeout for each list; a minute by default. */
  readonly listMs?: number | undefined;
  /** File of the server's catalog; kept across runs. */
  readonly catalogFile?: CachedCatalogFile | undefined;
  /** Whether there are many servers to start. */
  readonly isOneOfMany?: boolean | undefined;
  readonly onCatalog: (change: CatalogChange) => void;
}

/** A slot among the servers that start at the same time. */
export interface Slot {
  /** The server runs, or waits for its next attempt: other servers may start. */
  received(): void;
  /** Idempotent. */
  release(): void;
}

export interface StatusChange {
  readonly before: ServerStatus;
  readonly after: ServerStatus;
  readonly event: ServerEvent;
}
