import { join } from 'node:path';
import { isObject, parseJson } from '../base/json.js';
import { RollingFile } from '../edge/logs/rolling-file.js';
import { readTail } from '../edge/logs/tail-file.js';

/** What the user has entered in this session and earlier ones, the newest last. */
export class History implements AsyncDisposable {
  readonly #entries: string[];
  readonly #file: RollingFile | undefined;
  /** One write at a time, in order. */
  #writing: Promise<void> = Promise.resolve();

  /** `state`: the folder of the history file; without it the history lasts as long as the session. Never throws. */
  constructor(state: string | undefined) {
    const path = state === undefined ? undefined : join(state, 'history');
    this.#entries = path === undefined ? [] : readEntries(path);
    this.#file = path === undefined ? undefined : new RollingFile(path, { bytes: FILE_BYTES, keep: 1 });
  }

  /** What was typed, oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** `isPrivate`: the text is not saved. Very long texts, and repetitions of the last one, are left out. */
  add(text: string, { isPrivate }: { readonly isPrivate: boolean }): void {
    if (text.trim() === '' || text.length > ENTRY_LIMIT || this.#entries.at(-1) === text) return;
    this.#entries.push(text);
    if (this.#entries.length > ENTRIES) this.#entries.shift();
    const file = this.#file;
    if (isPrivate || !file) return;
    const line = Buffer.from(`${JSON.stringify({ text })}\n`);
    // A full disk, or a folder that cannot be written to, costs only the history.
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
    return []; // a session can start without a history
  }
}

/** Leaves out lines that were cut, or are not ours. */
function readEntry(line: string): string[] {
  const entry = parseJson(line);
  const text = isObject(entry) ? entry['text'] : undefined;
  return typeof text === 'string' && text !== '' && text.length <= ENTRY_LIMIT ? [text] : [];
}

const ENTRIES = 1_000;
const ENTRY_LIMIT = 8_192; // characters; what is longer was pasted, and can be pasted again
const FILE_BYTES = 1_048_576; // two files hold the last thousand entries of usual length
