import type { BrowserSignIn, DeviceSignIn, SignInEnd } from '../auth/sign-in.js';
import type { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import type { CallProgress } from '../model/tool.js';
import type { ToldPart } from './told.js';

/** What an action needs of the face that runs it: asking the user, showing output and progress, and when to stop. */
export interface ActionContext {
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  /** Asks the user. Undefined when there is none: an action that needs an answer rejects with `needs-terminal`. */
  readonly ask?: (<Choice extends string>(question: ChoiceQuestion<Choice>) => Promise<Choice>) | undefined;
  /** Shows output while the action runs, such as new log lines. False: stop sending. Contract: must not throw. */
  readonly onProgress?: ((part: ToldPart) => boolean) | undefined;
  /** Shows how to sign in and waits. Contract: never rejects; leaving cancels the sign-in. Undefined without a user. */
  readonly presentSignIn?:
    | ((signIn: BrowserSignIn | DeviceSignIn, options: PresentOptions) => Promise<SignInEnd>)
    | undefined;
  /** Shows how far servers are while `work` runs. Contract: never rejects. Undefined: only the signal ends a wait. */
  readonly wait?: (work: Promise<unknown>) => Promise<Waited>;
  /** Shows a message to the user at once: on stderr for the command line. Contract: must not throw. */
  readonly note?: ((text: string) => void) | undefined;
  /** Reads all of stdin, bounded. Undefined where stdin is not the user's to send. */
  readonly readInput?: (() => Promise<string>) | undefined;
  /** Shows the progress of a call that begins, until `clear`. */
  readonly watchCall?: ((what: string) => CallWatch) | undefined;
  /** Rewrites an error that `--timeout` caused so that it says so; returns other errors unchanged. */
  readonly explain?: ((error: HostError) => HostError) | undefined;
  /**
   * Where output of servers goes. `screen`: text of a length for people, and file names for the rest; `pipe`:
   * everything that text can express; `data`: unchanged.
   */
  readonly shows?: 'screen' | 'pipe' | 'data';
  /** Shows secrets in clear; default: masked. */
  readonly reveal?: boolean;
}

export interface PresentOptions {
  /** The name of the server. */
  readonly name: string;
  readonly opensBrowser: boolean;
  /** False when no page could be opened. Never rejects. */
  readonly openUrl: (url: string) => Promise<boolean>;
}

export interface CallWatch {
  show(progress: CallProgress): void;
  clear(): void;
}

/** How a wait for servers ended. */
export type Waited =
  | { readonly kind: 'settled' }
  | { readonly kind: 'timed-out'; readonly timeoutMs: number }
  | { readonly kind: 'interrupted' };

/** Waits for servers until `work` ends or the user stops waiting. Never rejects. */
export async function waitFor(
  work: Promise<unknown>,
  { wait, signal }: Pick<ActionContext, 'wait' | 'signal'>,
): Promise<Waited> {
  if (wait) return wait(work);
  const ended = work.then(
    () => true,
    () => true,
  );
  return (await within(ended, { signal, instead: () => false })) ? { kind: 'settled' } : { kind: 'interrupted' };
}

/**
 * A question with a few fixed answers: a line on stderr, keys on a screen, or a form on a page. A face that already has
 * the answer passes it as an argument of the action instead.
 */
export interface ChoiceQuestion<Choice extends string> {
  /** Says what happened, for a user who did not expect a question. */
  readonly title: string;
  /** What the user should read before answering. */
  readonly about: readonly ToldPart[];
  readonly prompt: string;
  readonly choices: readonly Answer<Choice>[];
  /** The choice for an empty answer. */
  readonly otherwise: Choice;
  /** The one line that stays of the question when it is answered. */
  readonly answered: (choice: Choice) => { readonly isYes: boolean; readonly text: string };
  /** The choice for Escape, shown if it has a `meaning`. Ctrl-C on a command line rejects with `cancelled`. */
  readonly leave: Pick<Answer<Choice>, 'choice' | 'word'> & Partial<Answer<Choice>>;
}

interface Answer<Choice extends string> {
  readonly choice: Choice;
  /** Its first letter is the key for this answer. */
  readonly word: string;
  readonly meaning: string;
}
