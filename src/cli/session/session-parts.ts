import type { LoadedConfig } from '../../actions/action-place.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import type { SessionFlags } from '../input/session-flags.js';
import type { Screen } from '../terminal/screen.js';

/** What a session has before it loads anything else. */
export interface SessionParts {
  readonly invocation: Invocation;
  readonly io: Io;
  readonly loaded: LoadedConfig;
  readonly flags: SessionFlags;
  readonly screen: Screen;
}
