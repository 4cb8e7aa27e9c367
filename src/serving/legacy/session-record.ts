/** What changes in a session after `initialize`, and is kept while the session is not in use. */
export class SessionRecord {
  readonly #onChange: (record: SessionRecord) => void;
  readonly #uris = new Set<string>();
  #logLevel: string | undefined;

  /** `onChange`: the record has something to keep. */
  constructor(onChange: (record: SessionRecord) => void = () => {}) {
    this.#onChange = onChange;
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  /** The resources that the client has subscribed to. */
  get uris(): ReadonlySet<string> {
    return this.#uris;
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.#onChange(this);
  }

  subscribe(uri: string): void {
    this.#uris.add(uri);
    this.#onChange(this);
  }

  unsubscribe(uri: string): void {
    if (this.#uris.delete(uri)) this.#onChange(this);
  }
}
