/** What changes in a session after `initialize`, and is kept while the session is not in use. */
export class SessionRecord {
  readonly #onChange: (record: SessionRecord) => void;
  /** Most clients subscribe to nothing. */
  #uris: Set<string> | undefined;
  #logLevel: string | undefined;
  #size = 0;

  /** `onChange`: the record has something to keep. */
  constructor(onChange: (record: SessionRecord) => void = () => {}) {
    this.#onChange = onChange;
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  /** The resources that the client has subscribed to. */
  get uris(): ReadonlySet<string> {
    return this.#uris ?? NONE;
  }

  /** Characters that it keeps. */
  get size(): number {
    return this.#size;
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.#onChange(this);
  }

  /** False: the session has subscribed to as much as it may. */
  subscribe(uri: string): boolean {
    const { uris } = this;
    if (uris.has(uri)) return true;
    if (uris.size >= SUBSCRIPTION_LIMIT || this.#size + uri.length > SUBSCRIBED_SIZE) return false;
    (this.#uris ??= new Set()).add(uri);
    this.#size += uri.length;
    this.#onChange(this);
    return true;
  }

  unsubscribe(uri: string): void {
    if (this.#uris?.delete(uri) !== true) return;
    this.#size -= uri.length;
    this.#onChange(this);
  }
}

export const SUBSCRIPTION_LIMIT = 1_000;
export const SUBSCRIBED_SIZE = 256_000; // characters of all URIs
const NONE: ReadonlySet<string> = new Set();
