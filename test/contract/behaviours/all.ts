import type { Behaviour } from '../behaviour.js';
import { askedByServer } from './asked-by-server.js';
import { calls } from './calls.js';
import { cancelling } from './cancelling.js';
import { closing } from './closing.js';
import { handshake } from './handshake.js';
import { malformed } from './malformed.js';
import { notes } from './notes.js';
import { progress } from './progress.js';
import { sessions } from './sessions.js';

/** A new behaviour is one entry in one of these lists. */
export const behaviours: readonly Behaviour[] = [
  ...handshake,
  ...calls,
  ...cancelling,
  ...progress,
  ...askedByServer,
  ...notes,
  ...malformed,
  ...sessions,
  ...closing,
];
