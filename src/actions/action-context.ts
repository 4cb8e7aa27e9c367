import type { BrowserSignIn, DeviceSignIn, SignInEnd } from '../auth/sign-in.js';
import type { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import type { CallProgress } from '../model/tool.js';
import type { ToldPart } from './told.js';

/** Who asked for an action: how to ask them, what they want to see of it, and when they stop waiting. */
export interface ActionContext {
  readonly now: () => Date;
  /** Its reason may be a HostError: then that says why nobody waits any longer (`connect-timeout`, `cancelled`). */
  readonly signal?: AbortSignal | undefined;
  /** Undefined: nobody is there. An action that cannot go on without an answer then rejects with `needs-terminal`. */
  readonly ask?: (<Choice extends string>(question: ChoiceQuestion<Choice>) => Promise<Choice>) | undefined;
  /** What comes while it runs: lines of a log. False: nobody wants more. Contract: must not throw. */
  readonly onProgress?: ((part: ToldPart) => boolean) | undefined;
  /** Shows what a person has to do to sign in, and waits until they have. Contract: never rejects; who leaves calls it off. Undefined: nobody is there. */
  readonly presentSignIn?:
    | ((signIn: BrowserSignIn | DeviceSignIn, options: PresentOptions) => Promise<SignInEnd>)
    | undefined;
  /**
   * Shows that servers are waited for, for as long as `work` takes or this person waits: then the signal aborts. Contract: never rejects. Undefined: the
   * signal alone says when to stop.
   */
  readonly wait?: (work: Promise<unknown>) => Promise<void>;
  /** What a person should know at once: stderr on a command line. Contract: must not throw. */
  readonly note?: ((text: string) => void) | undefined;
  /** A call begins: shows how far it is, until it is cleared. */
  readonly watchCall?: ((what: string) => CallWatch) | undefined;
  /** An error as a person is told it, where the end of somebody's patience is behind it. */
  readonly explain?: ((error: HostError) => HostError) | undefined;
  /**
   * What becomes of what servers send: a `screen` shows texts, of a length for people, and names files for the rest; a `pipe` gets all that
   * can be said as text; `data` is left as it came.
   */
  readonly shows?: 'screen' | 'pipe' | 'data';
  /** Secrets are shown as they are; they are masked unless that was asked for. */
  readonly reveal?: boolean;
}

export interface PresentOptions {
  /** Of the server. */
  readonly name: string;
  readonly opensBrowser: boolean;
  /** False: that was not possible. Never rejects. */
  readonly openUrl: (url: string) => Promise<boolean>;
}

export interface CallWatch {
  show(progress: CallProgress): void;
  clear(): void;
}

/** What `work` comes to; undefined when the person waits no longer. */
export async function waitFor<Result>(
  work: Promise<Result>,
  { wait, signal }: Pick<ActionContext, 'wait' | 'signal'>,
): Promise<Result | undefined> {
  await wait?.(work);
  return within(work, { signal, instead: () => undefined });
}

/**
 * A question with a few answers: a line on stderr, keys on a screen, a form in a page. A view that has decided by itself passes its answer as an
 * argument of the action instead.
 */
export interface ChoiceQuestion<Choice extends string> {
  /** What is going on, for whom the question comes unasked. */
  readonly title: string;
  /** What to look at before answering. */
  readonly about: readonly ToldPart[];
  readonly prompt: string;
  readonly choices: readonly Answer<Choice>[];
  /** What it means to enter nothing. */
  readonly otherwise: Choice;
  /** What it means to leave, where a face knows of that: Escape. Ctrl-C on a command line rejects with `cancelled`. Offered where it says what it means. */
  readonly leave: Pick<Answer<Choice>, 'choice' | 'word'> & Partial<Answer<Choice>>;
}

interface Answer<Choice extends string> {
  readonly choice: Choice;
  /** Its first letter is its key. */
  readonly word: string;
  readonly meaning: string;
}
