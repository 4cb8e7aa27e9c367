/**
 * Names that a model has read. Each keeps its tool, even after the tool is gone, and each tool its name: a later tool
 * that would get the same name gets another. The oldest are dropped when there are too many.
 */
export class NamesInUse {
  /** The owner of each name, by the name in lower case. */
  readonly #owners = new Map<string, { readonly server: string; readonly tool: string }>();
  readonly #names = new Map<string, Map<string, string>>();
  readonly #limit: number;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#owners.size === 0;
  }

  hold(name: string, server: string, tool: string): void {
    if (this.nameOf(server, tool) !== undefined) return;
    const key = name.toLowerCase();
    if (this.#owners.has(key)) return;
    this.#owners.set(key, { server, tool });
    const names = this.#names.get(server);
    if (names) names.set(tool, name);
    else this.#names.set(server, new Map([[tool, name]]));
    if (this.#owners.size > this.#limit) this.#forgetOldest();
  }

  nameOf(server: string, tool: string): string | undefined {
    return this.#names.get(server)?.get(tool);
  }

  /** `key`: a name in lower case. */
  has(key: string): boolean {
    return this.#owners.has(key);
  }

  /** Whether a tool may have a name: its own, or, while it has none, a free one. */
  allows(name: string, server: string, tool: string): boolean {
    const own = this.nameOf(server, tool);
    return own === undefined ? !this.#owners.has(name.toLowerCase()) : own === name;
  }

  /** Drops a tenth at once, because finding a map's first key again and again is slow. */
  #forgetOldest(): void {
    const kept = Math.floor(this.#limit * 0.9);
    for (const [key, { server, tool }] of this.#owners) {
      if (this.#owners.size <= kept) break;
      this.#owners.delete(key);
      const names = this.#names.get(server);
      names?.delete(tool);
      if (names?.size === 0) this.#names.delete(server);
    }
  }
}

const LIMIT = 50_000; // five servers with the largest number of tools
