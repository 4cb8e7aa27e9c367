import type { Clock } from '../../model/clock.js';
import type { Clean } from '../clean.js';
import type { Arrivals } from '../lists/arrivals.js';
import type { Tables } from '../lists/tables.js';
import type { Offering } from '../offering.js';
import type { ClientCallers } from './client-callers.js';
import type { ClientTasks } from '../tasks/client-tasks.js';
import type { AskSetting } from './permits.js';
import type { ServedUris } from './served-uris.js';

/** What the requests of one address need. */
export interface CallParts {
  readonly offering: Offering;
  readonly tables: Tables;
  readonly arrivals: Arrivals;
  readonly callers: ClientCallers;
  /** Whether users of clients are asked for permission. */
  readonly askSetting: () => AskSetting;
  readonly clock: Clock;
  readonly clean: () => Clean;
  readonly uris: (server: string) => ServedUris;
  /** Tasks that clients follow. */
  readonly tasks: ClientTasks;
}
