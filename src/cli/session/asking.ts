import { HostError } from '../../base/errors.js';
import { Watched } from '../../base/watched.js';

export interface DialogQueueOptions {
  /** Called when the first dialog opens and when the last one closes. Contract: must not throw. */
  readonly onChange: (isOpen: boolean) => void;
}

/** Shows one dialog at a time to the user at the terminal; the open one has all keys, the others wait. */
export class DialogQueue {
  readonly #options: DialogQueueOptions;
  #before: Promise<unknown> = Promise.resolve();
  readonly #count = new Watched(0);

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
    const asked = this.#before.then(() => {
      if (signal?.aborted === true) throw new HostError('cancelled', 'The question was withdrawn');
      return dialog();
    });
    this.#before = asked.then(
      () => this.#ended(),
      () => this.#ended(), // the caller gets the rejection
    );
    return asked;
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
