export interface Note {
  readonly method: string;
  readonly params: unknown;
}

/** The notifications of a server, and a way to wait for more. */
export class NoteList {
  readonly #notes: Note[] = [];
  readonly #waiting = new Set<() => void>();

  get all(): readonly Note[] {
    return this.#notes;
  }

  add(note: Note): void {
    this.#notes.push(note);
    for (const look of this.#waiting) look();
  }

  /** Resolves when there are this many notifications, or when the timeout ends. */
  until(count: number, timeoutMs: number): Promise<readonly Note[]> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(this.#notes);
      };
      const look = (): void => {
        if (this.#notes.length >= count) done();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(look);
      look();
    });
  }
}
