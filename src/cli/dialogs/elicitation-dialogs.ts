import { HostError } from '../../base/errors.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { CallProgress } from '../../model/tool.js';
import type { Io } from '../io.js';
import { DECLINED, decliner } from './decline.js';
import { showExact } from '../../model/show.js';
import { answeredRow } from './frame.js';
import type { OpenDialog } from './open-dialog.js';

export interface ElicitationDialogsOptions {
  readonly io: Io;
  /** Lines for stderr at the end of the run. */
  readonly notes: string[];
  /** Whether this run may ask the user: true where the user makes a call, false where servers are only listed. */
  readonly mayAsk: boolean;
  /** Opens a page in the browser; false when there is no browser. Contract: never rejects. */
  readonly open: (url: string) => Promise<boolean>;
  readonly openDialog: () => OpenDialog;
}

/** Shows elicitations of servers to the user at the terminal, one at a time. Without a terminal it declines at once. */
export class ElicitationDialogs {
  readonly #options: ElicitationDialogsOptions;
  readonly #decline: (question: Elicitation) => ElicitationReply;
  /** By server: how many dialogs in a row the user has left without an answer. */
  readonly #left = new Map<string, number>();
  #progress: ProgressLine | undefined;
  #isOpen = false;
  /** The previous dialog; the next one waits until it is closed. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(options: ElicitationDialogsOptions) {
    this.#options = options;
    this.#decline = decliner(options.notes, 'it cannot ask you without a terminal');
  }

  /** Whether a dialog is open: anything written now would appear in the middle of it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Wraps a progress line so that it is not drawn while a dialog is open. */
  around(progress: ProgressLine): ProgressLine {
    this.#progress = progress;
    return {
      show: (now) => void (this.#isOpen || progress.show(now)),
      clear: () => progress.clear(),
    };
  }

  /** Contract of `ports.elicit`. */
  elicit(question: Elicitation, signal: AbortSignal | undefined, agreed = (): void => {}): Promise<ElicitationReply> {
    const { io, mayAsk } = this.#options;
    if (!mayAsk) return Promise.resolve(DECLINED);
    if (!io.stdin.isTerminal || !io.stderr.isTerminal) return Promise.resolve(this.#decline(question));
    const asked = this.#before.then(() => this.#pose(question, { signal, agreed }));
    this.#before = asked.catch(() => {}); // the caller of `elicit` gets the rejection
    return asked;
  }

  async #pose(question: Elicitation, { signal, agreed }: Posing): Promise<ElicitationReply> {
    const { server } = question;
    const isWithdrawn = (): boolean => signal?.aborted === true;
    if (isWithdrawn()) return { action: 'cancel' };
    const left = this.#left.get(server) ?? 0;
    if (left >= LEFT_LIMIT) return { action: 'cancel', reason: 'the user wants no more questions' };
    this.#isOpen = true;
    this.#progress?.clear();
    using dialog = this.#options.openDialog();
    const end = (isYes: boolean, text: string, isKept = false): void => {
      const row = answeredRow(isYes, `Server ${showExact(server)}: ${text}`, dialog.look);
      if (isKept) dialog.keep(row);
      else dialog.fold(row);
    };
    try {
      const reply = await this.#ask(question, dialog, { signal: signal ?? new AbortController().signal, agreed });
      this.#left.delete(server);
      const isYes = reply.action === 'accept';
      // The user may still need the address of a page that the server waits for.
      end(
        isYes,
        ANSWERED[question.mode][reply.action],
        isYes && question.mode === 'url' && question.wants === 'consent',
      );
      return reply;
    } catch (cause) {
      if (!(cause instanceof HostError) || cause.code !== 'cancelled') throw cause;
      if (isWithdrawn()) end(false, 'no longer waits for an answer');
      else {
        this.#left.set(server, left + 1);
        const more = left + 1 >= LEFT_LIMIT ? '; the server may not ask you again in this run' : '';
        end(false, `you left without an answer${more}`);
      }
      return { action: 'cancel' };
    } finally {
      this.#isOpen = false;
    }
  }

  async #ask(
    question: Elicitation,
    dialog: OpenDialog,
    { signal, agreed }: Posing & { readonly signal: AbortSignal },
  ): Promise<ElicitationReply> {
    const { open } = this.#options;
    const { io, look } = dialog;
    if (question.mode === 'form') {
      const { askForm } = await import('./form-dialog.js');
      return askForm(question, { io, look, signal, begin: () => dialog.begin() });
    }
    const { askVisit } = await import('./url-dialog.js');
    return askVisit(question, { io, look, signal, open, agreed, canCopy: !look.isPlain });
  }
}

interface Posing {
  readonly signal: AbortSignal | undefined;
  /** See `Ports.elicit`. */
  readonly agreed: () => void;
}

export interface ProgressLine {
  readonly show: (progress: CallProgress) => void;
  readonly clear: () => void;
}

const ANSWERED = {
  form: { accept: 'you sent the form', decline: 'you declined', cancel: 'you cancelled' },
  url: { accept: 'you agreed to the page', decline: 'you declined', cancel: 'you cancelled' },
} as const;
const LEFT_LIMIT = 2; // dialogs left in a row; after that the server's questions are cancelled without asking
