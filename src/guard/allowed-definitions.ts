import { isObject, parseJson } from '../base/json.js';
import { readBounded } from '../edge/files/read-file.js';
import { updateFile } from '../edge/files/write-file.js';

export interface AllowedDefinitionsOptions {
  /** `grants.json` of the state folder; undefined: what is granted is forgotten with this program. */
  readonly file: string | undefined;
  /** Told once: a folder that cannot be written to stops no call. */
  readonly onProblem?: (cause: unknown) => void;
}

/** Which tool of which server. */
export interface AllowedToolKey {
  /** The hash of the server's entry as written: another program under the same name has been allowed nothing. */
  readonly server: string;
  /** What it was remembered under before: the hash of the config, which a rotated variable changes. */
  readonly formerly?: string;
  /** As the model knows it, and rules and answers: a server could spell the tool behind it in another way. */
  readonly name: string;
}

/**
 * What a tool was when the user allowed it, by the hash of its definition. Kept for good, in a file that several programs write to
 * at once; each of them reads it once.
 */
export class AllowedDefinitions implements AsyncDisposable {
  readonly #file: string | undefined;
  #onProblem: ((cause: unknown) => void) | undefined;
  #known: Map<string, string> | undefined;
  #pending = new Map<string, string>();
  #writing: Promise<void> | undefined;

  constructor({ file, onProblem }: AllowedDefinitionsOptions) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  /** The hash that was allowed. */
  find(key: AllowedToolKey): string | undefined {
    const all = this.#all();
    const { formerly, name } = key;
    return all.get(toKey(key)) ?? (formerly === undefined ? undefined : all.get(toKey({ server: formerly, name })));
  }

  /** It is in the file some milliseconds later. */
  remember(key: AllowedToolKey, hash: string): void {
    const all = this.#all();
    const text = toKey(key);
    if (all.get(text) === hash) return;
    place(all, text, hash);
    if (this.#file === undefined) return;
    this.#pending.set(text, hash);
    this.#writing ??= this.#write(this.#file);
  }

  /** Resolves when all of it is written, or cannot be. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  #all(): Map<string, string> {
    if (this.#known) return this.#known;
    const read = this.#file === undefined ? undefined : readBounded(this.#file, { limit: FILE_LIMIT });
    if (read?.kind === 'refused') this.#tell(read.error);
    return (this.#known = parse(read?.kind === 'text' ? read.text : undefined));
  }

  async #write(file: string): Promise<void> {
    // What is remembered in the same turn goes into one write.
    await Promise.resolve();
    while (this.#pending.size > 0) {
      const batch = this.#pending;
      this.#pending = new Map();
      try {
        const options = { mode: 0o600, limit: FILE_LIMIT, timeoutMs: LOCK_MS };
        await updateFile(file, (text) => merge(text, batch), options);
      } catch (cause) {
        this.#tell(cause);
      }
    }
    this.#writing = undefined;
  }

  #tell(cause: unknown): void {
    this.#onProblem?.(cause);
    this.#onProblem = undefined;
  }
}

const COUNT_LIMIT = 5_000; // tools that were ever allowed; the one that was longest ago gives way
const FILE_LIMIT = 8_000_000; // bytes: so many with the longest names there can be
const LOCK_MS = 2_000; // who closes a host does not wait longer for another one

function toKey({ server, name }: Pick<AllowedToolKey, 'server' | 'name'>): string {
  return `${server.slice(0, 32)} ${name}`;
}

/** The newest last. */
function place(all: Map<string, string>, key: string, hash: string): void {
  all.delete(key);
  all.set(key, hash);
  if (all.size <= COUNT_LIMIT) return;
  const [oldest] = all.keys();
  all.delete(oldest!);
}

/** A file that cannot be understood has nothing in it that anybody could go by: the next grant that is remembered replaces it. */
function parse(text: string | undefined): Map<string, string> {
  const all = new Map<string, string>();
  if (text === undefined) return all;
  const value = parseJson(text);
  const grants = isObject(value) ? value['grants'] : undefined;
  for (const [key, hash] of Object.entries(isObject(grants) ? grants : {})) {
    if (typeof hash === 'string') place(all, key, hash);
  }
  return all;
}

function merge(text: string | undefined, batch: ReadonlyMap<string, string>): string {
  const all = parse(text);
  for (const [key, hash] of batch) place(all, key, hash);
  return `${JSON.stringify({ version: 1, grants: Object.fromEntries(all) }, null, 1)}\n`;
}
