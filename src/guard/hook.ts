/** Decides about a call or an elicitation: a command of the user, or a function of an embedder. */
export interface Hook<Question, Answer> {
  /** Identifies the hook in messages. */
  readonly label: string;
  /** A failure of the hook lets the call pass. */
  readonly failOpen: boolean;
  /** Undefined: no opinion. Throws or rejects on failure; with `HookCancelled` when the call was cancelled. */
  ask(question: Question, signal: AbortSignal | undefined): Answer | undefined | Promise<Answer | undefined>;
}

/** The caller cancelled the call: not a failure of the hook. */
export class HookCancelled extends Error {
  override readonly name = 'HookCancelled';
}

/** A hook that gave no valid answer; the message continues "the hook ...". */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
}

export interface HookProblem {
  readonly hook: string;
  readonly event: string;
  readonly message: string;
}
