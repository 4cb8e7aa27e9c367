/** Hooks as settings write them: commands that are asked before a call, after it, and for an answer to a server's question. */
export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'Elicitation';

/** Which calls a list of commands is for, and where that is written. */
export interface HookSetting {
  readonly event: HookEvent;
  /** A glob if it reads as one, else an anchored regular expression; undefined: every call. */
  readonly matcher: string | undefined;
  readonly commands: readonly HookCommand[];
  /** For whoever has to find it. */
  readonly file: string;
  readonly line?: number;
}

export interface HookCommand {
  readonly command: string;
  /** Seconds, as people write them elsewhere. */
  readonly timeout: number | undefined;
  /** A hook that fails lets the call pass instead of stopping it. */
  readonly failOpen: boolean;
}
