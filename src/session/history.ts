import { join } from 'node:path';
import { isObject, parseJson } from '../base/json.js';
import { RollingFile } from '../edge/logs/rolling-file.js';
import { readTail } from '../edge/logs/tail-file.js';

/** What the user has entered, the newest last: of this session, and of those before it. */
export class History implements AsyncDisposable {
  readonly #entries: string[];
  readonly #file: RollingFile | undefined;
  /** One write at a time, in order. */
  #writing: Promise<void> = Promise.resolve();

  /** `state`: the folder that it is kept in; without one it lasts as long as the session. Never throws. */
  constructor(state: string | undefined) {
    const path = state === undefined ? undefined : join(state, 'history');
    this.#entries = path === undefined ? [] : readEntries(path);
    this.#file = path === undefined ? undefined : new RollingFile(path, { bytes: FILE_BYTES, keep: 1 });
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  /** `isPrivate`: it is not written down. What is very long, and what was entered just before, is not worth a place. */
  add(text: string, { isPrivate }: { readonly isPrivate: boolean }): void {
    if (text.trim() === '' || text.length > ENTRY_LIMIT || this.#entries.at(-1) === text) return;
    this.#entries.push(text);
    if (this.#entries.length > ENTRIES) this.#entries.shift();
    const file = this.#file;
    if (isPrivate || !file) return;
    const line = Buffer.from(`${JSON.stringify({ text })}\n`);
    // A disk that is full, or a folder that cannot be written, costs the history and nothing else.
    this.#writing = this.#writing.then(() => file.append(line)).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#file?.[Symbol.asyncDispose]();
  }
}

function readEntries(path: string): string[] {
  try {
    const { lines } = readTail(path, { lines: ENTRIES, takesUnfinished: false, bytes: 2 * FILE_BYTES });
    return lines.flatMap(readEntry);
  } catch {
    return []; // no history is no reason not to begin
  }
}

/** Lines that were cut, or are nobody's, are left out. */
function readEntry(line: string): string[] {
  const entry = parseJson(line);
  const text = isObject(entry) ? entry['text'] : undefined;
  return typeof text === 'string' && text !== '' && text.length <= ENTRY_LIMIT ? [text] : [];
}

const ENTRIES = 1_000;
const ENTRY_LIMIT = 8_192; // characters; what is longer was pasted, and is found where it came from
const FILE_BYTES = 1_048_576; // two of them hold the last thousand of any usual length
