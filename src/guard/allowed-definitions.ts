import { isObject, parseJson } from '../base/json.js';
import { readBounded } from '../edge/files/read-file.js';
import { updateFile } from '../edge/files/write-file.js';

export interface AllowedDefinitionsOptions {
  /** `grants.json` of the state folder; undefined: grants end with this process. */
  readonly file: string | undefined;
  /** Called once at most: a folder that cannot be written to stops no call. */
  readonly onProblem?: (cause: unknown) => void;
}

export interface AllowedToolKey {
  /** Hash of the server's entry as written: another program under the same name has no grants. */
  readonly server: string;
  /** Older key of the same grant: the hash of the config, which a rotated variable changes. */
  readonly formerly?: string;
  /** The tool's name as the model, rules and answers spell it: a server could change its own spelling. */
  readonly name: string;
}

/**
 * Hashes of the tool definitions that the user has allowed. Kept permanently, in a file that several processes write
 * to; each process reads it once.
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

  /** The hash that the user allowed. */
  find(key: AllowedToolKey): string | undefined {
    const all = this.#all();
    const { formerly, name } = key;
    return all.get(toKey(key)) ?? (formerly === undefined ? undefined : all.get(toKey({ server: formerly, name })));
  }

  /** Written to the file some milliseconds later. */
  remember(key: AllowedToolKey, hash: string): void {
    const all = this.#all();
    const text = toKey(key);
    if (all.get(text) === hash) return;
    place(all, text, hash);
    if (this.#file === undefined) return;
    this.#pending.set(text, hash);
    this.#writing ??= this.#write(this.#file);
  }

  /** Resolves when everything is written or has failed. Never rejects. */
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
    // Batches everything that is remembered in the same turn of the event loop.
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

const COUNT_LIMIT = 5_000; // tools; the one allowed longest ago is dropped
const FILE_LIMIT = 8_000_000; // bytes; fits `COUNT_LIMIT` tools with the longest names
const LOCK_MS = 2_000; // closing a host waits no longer for another process

function toKey({ server, name }: Pick<AllowedToolKey, 'server' | 'name'>): string {
  return `${server.slice(0, 32)} ${name}`;
}

/** Keeps the map ordered, newest last. */
function place(all: Map<string, string>, key: string, hash: string): void {
  all.delete(key);
  all.set(key, hash);
  if (all.size <= COUNT_LIMIT) return;
  const [oldest] = all.keys();
  all.delete(oldest!);
}

/** An unreadable file counts as empty: the next grant replaces it. */
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
