import type { HostError } from '../../base/errors.js';
import type { Clock } from '../../model/clock.js';
import type { ListKind } from './cached-list.js';
import type { CachedCatalogFile } from './catalog-files.js';
import type { ToolFilter } from './tool-definition.js';

/** The difference between two versions of a list, by the names or URIs of its items. */
export interface CatalogChange {
  /** Which of the server's lists changed, or its instructions. */
  readonly list: ListKind | 'instructions';
  /** In the new version only. */
  readonly added: readonly string[];
  /** In the old version only. */
  readonly removed: readonly string[];
  /** In both versions, with another definition. */
  readonly changed: readonly string[];
}

export interface CatalogOptions {
  /** Name of the server. */
  readonly name: string;
  readonly filter: ToolFilter | undefined;
  readonly clock: Clock;
  /** Wall-clock time in ms, which stays valid across restarts. */
  readonly wall?: () => number;
  /** Timeout for each list, all pages together; a minute by default. */
  readonly listMs?: number | undefined;
  /** The catalog's file; without one the catalog is in memory only. */
  readonly catalogFile?: CachedCatalogFile | undefined;
  readonly isOneOfMany?: boolean | undefined;
  /** Contract: must not throw. */
  readonly onChange: (change: CatalogChange) => void;
  /** Called when a list could not be fetched; the catalog keeps its old items. Contract: must not throw. */
  readonly onProblem?: (list: ListKind, error: HostError) => void;
  /** Whether the connection was closed only because nothing needed it: `wake` opens another. Contract: must not throw. */
  readonly isResting?: () => boolean;
  readonly wake?: () => void;
}
