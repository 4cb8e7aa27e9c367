import { onAbort } from '../base/on-abort.js';

/** How a question ended. */
export type QuestionOutcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Whoever wanted to know does not any more. */
  | { readonly kind: 'withdrawn' }
  /** So many are waiting that nobody will ever read this one. */
  | { readonly kind: 'full'; readonly waiting: number }
  /** Whoever was to ask could not. */
  | { readonly kind: 'failed'; readonly cause: unknown };

/** Contract: lets go of the person when the signal aborts; nobody waits for it then. */
export type AskUser<Answer> = (signal: AbortSignal) => Promise<Answer>;

/**
 * Questions to one person, one at a time, in the order in which they came up. An answer belongs to the call of `pose` that gave
 * it, so that two questions cannot swap theirs.
 */
export class QuestionQueue {
  /** Each poses its question when it is called. */
  readonly #waiting = new Set<() => Promise<void>>();
  readonly #closing = new AbortController();
  #isBusy = false;

  /** Nobody is asked any more: what waits is withdrawn, and so is whatever comes. */
  close(): void {
    this.#closing.abort();
  }

  /** Never rejects. */
  put<Answer>(pose: AskUser<Answer>, signal?: AbortSignal): Promise<QuestionOutcome<Answer>> {
    const closing = this.#closing.signal;
    if (signal?.aborted === true || closing.aborted) return Promise.resolve({ kind: 'withdrawn' });
    if (this.#waiting.size >= WAITING_LIMIT) return Promise.resolve({ kind: 'full', waiting: this.#waiting.size });
    return new Promise((resolve) => {
      const posing = new AbortController();
      let isPosed = false;
      let isOver = false;
      const end = (asked: QuestionOutcome<Answer>): void => {
        if (isOver) return;
        isOver = true;
        for (const one of listening) one?.[Symbol.dispose]();
        this.#waiting.delete(run);
        resolve(asked);
        if (isPosed) this.#next();
      };
      const run = async (): Promise<void> => {
        isPosed = true;
        try {
          end({ kind: 'answered', answer: await pose(posing.signal) });
        } catch (cause) {
          end({ kind: 'failed', cause });
        }
      };
      const withdraw = (): void => {
        posing.abort(signal?.reason);
        end({ kind: 'withdrawn' });
      };
      const listening = [onAbort(signal, withdraw), onAbort(closing, withdraw)];
      this.#waiting.add(run);
      if (!this.#isBusy) this.#next();
    });
  }

  #next(): void {
    const [run] = this.#closing.signal.aborted ? [] : this.#waiting;
    this.#isBusy = run !== undefined;
    if (!run) return;
    this.#waiting.delete(run);
    void run();
  }
}

const WAITING_LIMIT = 100; // nobody answers the hundredth question with care
