import type { LoadedConfig } from '../../actions/action-place.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import type { SessionFlags } from '../input/session-flags.js';
import type { ModelPort } from '../../session/index.js';
import type { Screen } from '../terminal/screen.js';
import type { KeptSession } from './resume/open-kept-session.js';

/** What a session has before it loads anything else. */
export interface SessionParts {
  readonly invocation: Invocation;
  readonly io: Io;
  readonly loaded: LoadedConfig;
  readonly flags: SessionFlags;
  readonly screen: Screen;
  readonly staged?: StagedSession | undefined;
  /** The session that the flags or `/resume` chose; without it, a new one is opened. */
  readonly kept?: KeptSession | undefined;
}

/** What a session has that was prepared for a demonstration. */
export interface StagedSession {
  /** In place of the model that settings and variables name. */
  readonly model: ModelPort;
  /** Lines below the banner. */
  readonly intro: readonly string[];
  /** The text for the next prompt; undefined: none. */
  readonly suggest: (() => string | undefined) | undefined;
}
