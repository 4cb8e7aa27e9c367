import type { HttpClient } from '../../edge/network/http-client.js';
import type { Clock } from '../../model/clock.js';
import type { CredentialsRefusal } from '../../model/credentials.js';
import type { Receiver } from '../../wire/pipe.js';
import type { UnsolicitedLimit } from '../../wire/unsolicited-limit.js';
import type { HttpSession } from './http-session.js';

/** What everything that goes to one server over HTTP has in common. */
export interface HttpContext {
  /** `Server "db"`: begins the sentence of an error. */
  readonly label: string;
  readonly clock: Clock;
  readonly client: HttpClient;
  readonly session: HttpSession;
  /** One for all streams: a flood is no better for coming on many. */
  readonly unsolicitedLimit: UnsolicitedLimit;
  readonly receiver: Receiver;
  /** For every POST whose answer nobody gave its own time. */
  readonly headersTimeoutMs: number;
  /** Whether there is something else to say who we are than what was refused; then it goes with the next request. Never rejects. */
  readonly renew: (denial: CredentialsRefusal) => Promise<boolean>;
}
