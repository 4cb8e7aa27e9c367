/** The events of hooks in the settings: before a call, after a call, and to answer a server's elicitation. */
export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'Elicitation';

/** The commands for some calls, and where the settings contain them. */
export interface HookSetting {
  /** When the commands run. */
  readonly event: HookEvent;
  /** A glob if it can be one, else an anchored regular expression; undefined: every call. */
  readonly matcher: string | undefined;
  /** They run one after the other, and each sees what the one before has changed. */
  readonly commands: readonly HookCommand[];
  /** The settings file, for messages. */
  readonly file: string;
  /** Counted from 1; absent where it is unknown. */
  readonly line?: number;
}

/** A command of the settings that runs before or after calls. */
export interface HookCommand {
  /** A line for the shell, which gets the call as JSON on stdin. */
  readonly command: string;
  /** Seconds, as in the settings of other hosts. */
  readonly timeout: number | undefined;
  /** If the hook fails, the call is made anyway. */
  readonly failOpen: boolean;
}
