import type { HookRun } from '../model/hooks/hook-run.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';

/** Decides about a call, an elicitation or a session: a command of the user, or a function of an embedder. */
export interface Hook<Question, Answer> {
  /** Identifies the hook in messages. */
  readonly label: string;
  /** A failure of the hook is told, and things go on as if there were no such hook. */
  readonly failOpen: boolean;
  /**
   * Undefined: no opinion. Throws or rejects on failure; with `HookCancelled` when the call was cancelled. `onOutput` is
   * called with what a command printed or a callback answered, before that is read.
   */
  ask(
    question: Question,
    signal: AbortSignal | undefined,
    onOutput?: (output: HookRunOutput) => void,
  ): Answer | undefined | Promise<Answer | undefined>;
}

/** What came of a run, for programs that show hooks. */
export type HookRunOutput = Pick<HookRun, 'output' | 'stdout' | 'stderr' | 'exitCode'>;

/** The JSON of one event: what a hook is sent, and what its answer means. */
export interface EventFormat<Question, Answer> {
  readonly event: HookEvent;
  /** What the event is about: a tool, a server, or the circumstance that matchers of the event are compared with. */
  subjectOf(question: Question): string | undefined;
  /** The call that the event belongs to. */
  callIdOf?(question: Question): string;
  toInput(question: Question): object;
  /** Throws `BadAnswer`. */
  read(said: { readonly [field: string]: unknown }): Answer | undefined;
  /** The answer for exit code 2, which means no; `reason` is the command's stderr. Throws `HookFailure`. */
  refuse(reason: string): Answer;
  /** The answer for output that is no JSON; without it such output means no opinion. */
  readText?(text: string): Answer;
}

/** The caller cancelled the call: not a failure of the hook. */
export class HookCancelled extends Error {
  override readonly name = 'HookCancelled';
}

/** A hook that gave no valid answer; the message continues "the hook ...". */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
  /** What the hook printed about it, for the user: it may quote what the hook was sent. */
  readonly detail: string;

  constructor(message: string, { cause, detail = '' }: { readonly cause?: unknown; readonly detail?: string } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.detail = detail;
  }
}

export interface HookProblem {
  readonly hook: string;
  readonly event: string;
  readonly message: string;
}
