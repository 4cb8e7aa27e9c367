import type { ConfigContext } from '../../actions/action-place.js';
import type { AgentDefinition, ModelPort, Session } from '../../session/index.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import type { Screen } from '../terminal/screen.js';
import type { DialogQueue } from './asking.js';
import type { KeptSession } from './resume/open-kept-session.js';

/** What commands of a session work with. */
export interface SessionContext {
  readonly screen: Screen;
  /** For dialogs that are written for streams: writes to the screen. */
  readonly io: Io;
  /** The command line, for its flags. */
  readonly invocation: Invocation;
  readonly session: Session;
  readonly config: ConfigContext;
  readonly asking: DialogQueue;
  readonly agents: readonly AgentDefinition[];
  /** Rejects with a HostError when there is no such model. */
  readonly chooseModel: (name: string | undefined) => Promise<ModelPort>;
  /** The file of this session, and those of this folder; undefined in the demo. */
  readonly kept: KeptSession | undefined;
  /** Has this session follow when the current one has ended. */
  readonly resumeNext: (kept: KeptSession) => void;
  /** What the user may change during the session. */
  readonly settings: SessionSettings;
}

export interface SessionSettings {
  /** Show all reasoning and the cost of each turn. */
  isVerbose: boolean;
}
