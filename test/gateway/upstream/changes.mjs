import { readFileSync, watch, writeFileSync } from 'node:fs';

/**
 * How often each list, and the watched resource, has changed; in a file where processes share it. Each change takes
 * something away and adds another thing, so that two changes never leave a list as it was.
 */
export class Changes {
  #counts = { tools: 0, prompts: 0, watched: 0 };
  #file;
  #tell;

  constructor(file, tell) {
    this.#file = file;
    this.#tell = tell;
    if (file === undefined) return;
    this.#read();
    // Unreferenced: the watch keeps no process alive.
    watch(file, { persistent: false }, () => this.#told(this.#read()));
  }

  of(what) {
    return this.#counts[what];
  }

  /** Everybody is told; in the process that made the change, before this resolves. */
  async change(what) {
    this.#read();
    this.#counts = { ...this.#counts, [what]: this.#counts[what] + 1 };
    if (this.#file !== undefined) writeFileSync(this.#file, JSON.stringify(this.#counts));
    await this.#tell(what);
  }

  /** Returns what another process has changed. */
  #read() {
    if (this.#file === undefined) return [];
    const before = this.#counts;
    try {
      this.#counts = { ...before, ...JSON.parse(readFileSync(this.#file, 'utf8')) };
    } catch {
      // Half written: the next event comes when it is whole.
    }
    return Object.keys(before).filter((what) => before[what] !== this.#counts[what]);
  }

  #told(changed) {
    for (const what of changed) void this.#tell(what);
  }
}
