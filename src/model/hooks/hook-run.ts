import type { HookEvent } from './hook-settings.js';

/** One run of a hook: told when it begins, and when it has ended. */
export interface HookRun {
  /** Every `started` is followed by one `ended`. */
  readonly phase: 'started' | 'ended';
  /** A UUID, the same at the beginning and at the end. */
  readonly id: string;
  /** The event, and what it is about: `PreToolUse:mcp__db__query`. */
  readonly name: string;
  /** What the hook was run for. */
  readonly event: HookEvent;
  /** The command with its place in the settings, or the label of a callback. */
  readonly hook: string;
  /** With `ended`: `error` when the hook failed, `cancelled` when nobody waited for it any more. */
  readonly outcome?: 'success' | 'error' | 'cancelled';
  /** With `ended`: what the hook said, or why it failed. Cleaned and bounded, as are the next two. */
  readonly output?: string;
  /** With `ended`: of a command. */
  readonly stdout?: string;
  /** With `ended`: of a command. */
  readonly stderr?: string;
  /** With `ended`: of a command that has exited. */
  readonly exitCode?: number;
}
