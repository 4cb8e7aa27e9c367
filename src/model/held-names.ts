/**
 * Names that a model has read. Each goes on meaning the tool that it meant, also when that is gone, and the tool keeps it: whoever
 * comes later and wants the same name gets another. The oldest are forgotten when there are too many.
 */
export class HeldNames {
  /** Whose a name is, by the name in lower case. */
  readonly #servers = new Map<string, string>();
  readonly #names = new Map<string, Map<string, string>>();
  readonly #limit: number;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#servers.size === 0;
  }

  hold(name: string, server: string, tool: string): void {
    const key = name.toLowerCase();
    if (this.#servers.has(key) || this.nameOf(server, tool) !== undefined) return;
    this.#servers.set(key, server);
    const names = this.#names.get(server);
    if (names) names.set(tool, name);
    else this.#names.set(server, new Map([[tool, name]]));
    if (this.#servers.size > this.#limit) this.#forgetOldest();
  }

  nameOf(server: string, tool: string): string | undefined {
    return this.#names.get(server)?.get(tool);
  }

  /** `key`: a name in lower case. */
  has(key: string): boolean {
    return this.#servers.has(key);
  }

  /** Whether a tool can have a name: it is its own, or nobody's while the tool has none. */
  allows(name: string, server: string, tool: string): boolean {
    const own = this.nameOf(server, tool);
    return own === undefined ? !this.#servers.has(name.toLowerCase()) : own === name;
  }

  #forgetOldest(): void {
    const [[key, server] = []] = this.#servers;
    const names = server === undefined ? undefined : this.#names.get(server);
    if (key === undefined || server === undefined || !names) return;
    this.#servers.delete(key);
    // Those of one server are in the same order, so that it is the first one.
    for (const [tool, name] of names) {
      if (name.toLowerCase() !== key) continue;
      names.delete(tool);
      break;
    }
    if (names.size === 0) this.#names.delete(server);
  }
}

const LIMIT = 50_000; // five servers with all the tools that they may have
