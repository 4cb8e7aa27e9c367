import type { Behaviour } from '../behaviour.js';
import { askedByServer } from './asked-by-server.js';
import { caching } from './caching.js';
import { calls } from './calls.js';
import { cancelling } from './cancelling.js';
import { closing } from './closing.js';
import { envelope } from './envelope.js';
import { handshake } from './handshake.js';
import { malformed } from './malformed.js';
import { negotiation } from './negotiation.js';
import { notes } from './notes.js';
import { progress } from './progress.js';
import { rounds } from './rounds.js';
import { sessions } from './sessions.js';
import { subscriptions } from './subscriptions.js';

/** A new behaviour is an entry in one of these lists. */
export const behaviours: readonly Behaviour[] = [
  ...handshake,
  ...negotiation,
  ...envelope,
  ...calls,
  ...cancelling,
  ...progress,
  ...askedByServer,
  ...rounds,
  ...notes,
  ...subscriptions,
  ...caching,
  ...malformed,
  ...sessions,
  ...closing,
];
