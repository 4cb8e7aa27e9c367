import { allowListeners } from '../edge/allow-listeners.js';

/** How a question ended. */
export type Asked<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Whoever wanted to know does not any more. */
  | { readonly kind: 'withdrawn' }
  /** So many are waiting that nobody will ever read this one. */
  | { readonly kind: 'full'; readonly waiting: number }
  /** Whoever was to ask could not. */
  | { readonly kind: 'failed'; readonly cause: unknown };

/** Contract: lets go of the person when the signal aborts; nobody waits for it then. */
export type Pose<Answer> = (signal: AbortSignal) => Promise<Answer>;

/**
 * Questions to one person, one at a time, in the order in which they came up. An answer belongs to the call of `pose` that gave
 * it, so that two questions cannot swap theirs.
 */
export class QuestionQueue {
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  readonly #closing = new AbortController();
  #isBusy = false;

  constructor(limit = WAITING_LIMIT) {
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Nobody is asked any more: what waits is withdrawn, and so is whatever comes. */
  close(): void {
    this.#closing.abort();
  }

  /** Never rejects. */
  put<Answer>(pose: Pose<Answer>, signal?: AbortSignal): Promise<Asked<Answer>> {
    const closing = this.#closing.signal;
    if (signal?.aborted === true || closing.aborted) return Promise.resolve({ kind: 'withdrawn' });
    if (this.#waiting.size >= this.#limit) return Promise.resolve({ kind: 'full', waiting: this.#waiting.size });
    return new Promise((resolve) => {
      const posing = new AbortController();
      const one: Waiting = {
        run: async () => {
          try {
            end({ kind: 'answered', answer: await pose(posing.signal) });
          } catch (cause) {
            end({ kind: 'failed', cause });
          }
        },
        isPosed: false,
      };
      const withdraw = (): void => {
        posing.abort(signal?.reason);
        end({ kind: 'withdrawn' });
      };
      let isOver = false;
      const end = (asked: Asked<Answer>): void => {
        if (isOver) return;
        isOver = true;
        signal?.removeEventListener('abort', withdraw);
        closing.removeEventListener('abort', withdraw);
        this.#waiting.delete(one);
        resolve(asked);
        if (one.isPosed) this.#next();
      };
      if (signal) allowListeners(signal);
      allowListeners(closing);
      signal?.addEventListener('abort', withdraw);
      closing.addEventListener('abort', withdraw);
      this.#waiting.add(one);
      if (!this.#isBusy) this.#next();
    });
  }

  #next(): void {
    const [one] = this.#closing.signal.aborted ? [] : this.#waiting;
    this.#isBusy = one !== undefined;
    if (!one) return;
    this.#waiting.delete(one);
    one.isPosed = true;
    void one.run();
  }
}

interface Waiting {
  readonly run: () => Promise<void>;
  isPosed: boolean;
}

const WAITING_LIMIT = 100; // nobody answers the hundredth question with care
