import { HostError } from '../../base/errors.js';
import { Watched } from '../../base/watched.js';

export interface DialogQueueOptions {
  /** Called when the first dialog opens and when the last one closes. Contract: must not throw. */
  readonly onChange: (isOpen: boolean) => void;
}

/** Leaves the screen to a dialog until that is done. */
export type Aside = <Answer>(dialog: () => Promise<Answer>) => Promise<Answer>;

/** Shows one dialog at a time to the user at the terminal; the open one has all keys, the others wait. */
export class DialogQueue {
  readonly #options: DialogQueueOptions;
  #before: Promise<unknown> = Promise.resolve();
  readonly #count = new Watched(0);
  /** While something fills the screen: it makes room for the dialogs that come meanwhile. */
  #full: { readonly aside: Aside; before: Promise<unknown> } | undefined;

  constructor(options: DialogQueueOptions) {
    this.#options = options;
  }

  /** A dialog is open or waits. */
  get isOpen(): boolean {
    return this.#count.value > 0;
  }

  /** Rejects with `cancelled` when the signal has aborted before its turn, and as the dialog does. */
  enqueue<Answer>(dialog: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    this.#count.set(this.#count.value + 1);
    if (this.#count.value === 1) this.#options.onChange(true);
    const full = this.#full;
    const begin = (): Promise<Answer> => {
      if (signal?.aborted === true) throw new HostError('cancelled', 'The question was withdrawn');
      return full ? full.aside(dialog) : dialog();
    };
    const asked = (full?.before ?? this.#before).then(begin);
    const ended = asked.then(
      () => this.#ended(),
      () => this.#ended(), // the caller gets the rejection
    );
    if (full) full.before = ended;
    else this.#before = ended;
    return asked;
  }

  /**
   * Shows something that fills the screen. Once it has lent its screen, dialogs that come meanwhile are shown aside, one
   * at a time; before, they wait until it is closed.
   */
  enqueueFull(show: (lend: (aside: Aside) => void) => Promise<void>, signal?: AbortSignal): Promise<void> {
    return this.enqueue(async () => {
      try {
        await show((aside) => (this.#full = { aside, before: Promise.resolve() }));
      } finally {
        await this.#full?.before;
        this.#full = undefined;
      }
    }, signal);
  }

  /** Resolves when no dialog is open or waits. */
  async idle(): Promise<void> {
    await this.#count.until((count) => count === 0);
  }

  #ended(): void {
    this.#count.set(this.#count.value - 1);
    if (this.#count.value === 0) this.#options.onChange(false);
  }
}
