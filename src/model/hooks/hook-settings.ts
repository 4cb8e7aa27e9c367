/** The events of hooks: those of a call, those of a server's question, and those of a session. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Elicitation',
  'ElicitationResult',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'PreCompact',
  'PostCompact',
] as const;

/** The event that a hook is for. */
export type HookEvent = (typeof hookEvents)[number];

/** Whether the hooks of an event are about calls: their matchers name tools. */
export function isCallEvent(event: HookEvent): boolean {
  return CALL_EVENTS.has(event);
}

/** Whether a hook of this event that fails blocks something: a call, its result, an answer to a server, or a prompt. */
export function isBlockingEvent(event: HookEvent): boolean {
  return isCallEvent(event) || event === 'ElicitationResult' || event === 'UserPromptSubmit';
}

/** Whether the hooks of an event are about questions of servers: their matchers name servers. */
export function isQuestionEvent(event: HookEvent): boolean {
  return event === 'Elicitation' || event === 'ElicitationResult';
}

const CALL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
]);

/** The commands for some calls, and where the settings contain them. */
export interface HookSetting {
  /** When the commands run. */
  readonly event: HookEvent;
  /** A glob if it can be one, else an anchored regular expression; undefined: every call. */
  readonly matcher: string | undefined;
  /** They run one after the other, and each sees what the one before has changed. */
  readonly commands: readonly HookCommand[];
  /** Why the settings here are no hook, where that must block something: it fails whenever it would run. */
  readonly fault?: string;
  /** The settings file, for messages. */
  readonly file: string;
  /** Counted from 1; absent where it is unknown. */
  readonly line?: number;
}

/** A command of the settings that runs when something happens. */
export interface HookCommand {
  /** A line for the shell, which gets the event as JSON on stdin. */
  readonly command: string;
  /** Seconds, as in the settings of other hosts. */
  readonly timeout: number | undefined;
  /** If the hook fails, things go on as if there were no such hook. */
  readonly failOpen: boolean;
}
