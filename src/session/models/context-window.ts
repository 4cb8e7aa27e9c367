export interface ContextWindowOptions {
  /** What the user says: nobody is asked then. */
  readonly said: number | undefined;
  /** What a list of the provider said before. */
  readonly listed: number | undefined;
  /** What holds while nothing is known. */
  readonly usual: number;
  /** Asks the provider; undefined when it does not say. May reject. */
  readonly find: () => Promise<number | undefined>;
}

/** The size of a model's context window: as the user says, else as the provider lists it, else the usual one. */
export class ContextWindow {
  readonly #options: ContextWindowOptions;
  #listed: number | undefined;
  #finding: Promise<void> | undefined;
  #attempts = 0;

  constructor(options: ContextWindowOptions) {
    this.#options = options;
    this.#listed = options.listed;
  }

  /** In tokens, as far as is known now. */
  get tokens(): number {
    const { said, usual } = this.#options;
    return said ?? this.#listed ?? usual;
  }

  /** What the provider said; undefined while that is not known. */
  get listed(): number | undefined {
    return this.#listed;
  }

  /** Asks the provider once, and again only after a failure. Never rejects. */
  async find(): Promise<number> {
    if (this.#options.said === undefined && this.#listed === undefined) await (this.#finding ??= this.#ask());
    return this.tokens;
  }

  async #ask(): Promise<void> {
    try {
      this.#listed = await this.#options.find();
    } catch {
      // The usual size holds; an endpoint without such a list answers 404 each time.
      if (++this.#attempts < ATTEMPTS) this.#finding = undefined;
    }
  }
}

const ATTEMPTS = 3;
