import type { HttpClient } from '../../edge/network/http-client.js';
import type { Clock } from '../../model/clock.js';
import type { CredentialsRefusal } from '../../model/credentials.js';
import type { Receiver } from '../../wire/pipe.js';
import type { UnsolicitedLimit } from '../../wire/unsolicited-limit.js';
import type { HttpSession } from './http-session.js';

/** What all requests to one server share. */
export interface HttpContext {
  /** `Server "db"`: the start of every error message. */
  readonly label: string;
  readonly clock: Clock;
  readonly client: HttpClient;
  readonly session: HttpSession;
  /** One limit for all streams of the server: a flood over many streams is still a flood. */
  readonly unsolicitedLimit: UnsolicitedLimit;
  readonly receiver: Receiver;
  /** The timeout of every POST whose caller sets none. */
  readonly headersTimeoutMs: number;
  /** Whether the refused credentials were renewed; if so, the next request carries the new ones. Never rejects. */
  readonly renew: (denial: CredentialsRefusal) => Promise<boolean>;
}
