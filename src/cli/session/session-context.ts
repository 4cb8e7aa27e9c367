import type { ConfigContext } from '../../actions/action-place.js';
import type { AgentDefinition, ModelPort, Session } from '../../session/index.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import type { Screen } from '../terminal/screen.js';
import type { DialogQueue } from './asking.js';

/** What a session in the terminal has to work with. */
export interface SessionContext {
  readonly screen: Screen;
  /** For dialogs that are written for streams: it leads to the screen. */
  readonly io: Io;
  /** The run: its flags. */
  readonly invocation: Invocation;
  readonly session: Session;
  readonly config: ConfigContext;
  readonly asking: DialogQueue;
  readonly agents: readonly AgentDefinition[];
  /** Throws a HostError where there is no such model. */
  readonly chooseModel: (name: string | undefined) => Promise<ModelPort>;
  /** What the user may change while it runs. */
  readonly settings: SessionSettings;
}

export interface SessionSettings {
  /** All that a model thinks, and all of what comes back. */
  isVerbose: boolean;
}
