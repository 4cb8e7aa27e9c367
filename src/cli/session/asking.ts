import { HostError } from '../../base/errors.js';
import { Watched } from '../../base/watched.js';

export interface DialogQueueOptions {
  /** Somebody is asked from now on, or nobody any more. Contract: must not throw. */
  readonly onChange: (isOpen: boolean) => void;
}

/** The one person at the terminal: whatever wants something of them waits for its turn, and has all of the screen's keys then. */
export class DialogQueue {
  readonly #options: DialogQueueOptions;
  #before: Promise<unknown> = Promise.resolve();
  readonly #count = new Watched(0);

  constructor(options: DialogQueueOptions) {
    this.#options = options;
  }

  /** Somebody is being asked, or will be in a moment. */
  get isOpen(): boolean {
    return this.#count.value > 0;
  }

  /** Rejects with `cancelled` where nobody wants to know any more when its turn has come, and as the dialog does. */
  pose<Answer>(dialog: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    this.#count.set(this.#count.value + 1);
    if (this.#count.value === 1) this.#options.onChange(true);
    const asked = this.#before.then(() => {
      if (signal?.aborted === true) throw new HostError('cancelled', 'Nobody wants to know any more');
      return dialog();
    });
    this.#before = asked.then(
      () => this.#ended(),
      () => this.#ended(), // whoever asked hears of it
    );
    return asked;
  }

  /** Resolves when nobody is asked any more. */
  async idle(): Promise<void> {
    await this.#count.until((count) => count === 0);
  }

  #ended(): void {
    this.#count.set(this.#count.value - 1);
    if (this.#count.value === 0) this.#options.onChange(false);
  }
}
