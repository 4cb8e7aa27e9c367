/** Somebody who is asked about a call or a question: a command of the user's, or a function of an embedder's. */
export interface Hook<Question, Answer> {
  /** For whoever has to find it. */
  readonly label: string;
  /** A failure lets the call pass. */
  readonly failOpen: boolean;
  /** Undefined: no opinion. Throws or rejects with whatever went wrong; a HookCancelled when nobody waits any more. */
  ask(question: Question, signal: AbortSignal | undefined): Answer | undefined | Promise<Answer | undefined>;
}

/** Whoever made the call has given it up: that is nobody's failure. */
export class HookCancelled extends Error {
  override readonly name = 'HookCancelled';
}

/** A hook that gave no answer that counts; the message goes on from "the hook". */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
}

export interface HookProblem {
  readonly hook: string;
  readonly event: string;
  readonly message: string;
}
