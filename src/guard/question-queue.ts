import { onAbort } from '../base/on-abort.js';

export type QuestionOutcome<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The call was cancelled, or the queue closed. */
  | { readonly kind: 'withdrawn' }
  /** Too many questions wait for an answer. */
  | { readonly kind: 'full'; readonly waiting: number }
  /** Asking failed. */
  | { readonly kind: 'failed'; readonly cause: unknown };

/** Contract: closes the question when the signal aborts; its answer is ignored then. */
export type AskUser<Answer> = (signal: AbortSignal) => Promise<Answer>;

/** Questions to one user, one at a time, in order. Each answer comes from its own `pose`, so none can be swapped. */
export class QuestionQueue {
  /** Each function asks its question. */
  readonly #waiting = new Set<() => Promise<void>>();
  readonly #closing = new AbortController();
  #isBusy = false;

  /** Withdraws all waiting questions, and all that come later. */
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

const WAITING_LIMIT = 100; // the hundredth question is not answered with care
