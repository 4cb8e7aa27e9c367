import { type Dirent, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import { type CacheFile, readCacheFile } from '../../edge/files/cache-file.js';
import { showLine } from '../../model/show.js';
import { VERSION_1 } from './stored-lines.js';
import { isUuid } from '../../base/uuid.js';

/** A kept session in a list. */
export interface StoredSession {
  readonly id: string;
  /** The beginning of its first prompt, gated. */
  readonly title: string;
  /** When it was written last, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Messages of the user and of the model; undefined where the end of the file does not tell. */
  readonly messages: number | undefined;
  readonly bytes: number;
}

/** The sessions in a folder that have a message, newest first. Reads head and tail of each file. Never throws. */
export function listSessions(folder: string): readonly StoredSession[] {
  return sessionFiles(folder)
    .flatMap((name) => summaryOf(join(folder, name)) ?? [])
    .filter(({ messages }) => messages !== 0)
    .toSorted((one, other) => other.changedAt - one.changedAt || (one.id < other.id ? -1 : 1));
}

/** The names of the session files in a folder; none when the folder cannot be read. */
export function sessionFiles(folder: string): readonly string[] {
  const entries: readonly Dirent[] = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.filter((entry) => entry.isFile() && idOf(entry.name) !== undefined).map(({ name }) => name);
}

function idOf(name: string): string | undefined {
  const id = name.endsWith(SESSION_ENDING) ? name.slice(0, -SESSION_ENDING.length) : undefined;
  return isUuid(id) ? id : undefined;
}

/** What a list shows of a session file; undefined for what is none. `messages` is 0 where only the beginning is there. */
export function summaryOf(path: string): StoredSession | undefined {
  const id = idOf(basename(path));
  return readCacheFile(path, (file) => {
    const [header, ...lines] = file.read(0, HEAD).toString('utf8').split('\n').map(fieldsOf);
    if (id === undefined || (header && (header['version'] !== VERSION_1 || header['id'] !== id))) return undefined;
    const title = lines.find((line) => line?.['type'] === 'title')?.['title'];
    return {
      id,
      title: typeof title === 'string' && title !== '' ? showLine(title) : UNTITLED,
      changedAt: file.changedAt,
      messages: header ? lastCount(file) : 0,
      bytes: file.size,
    };
  });
}

/** The folder that a session was held in, as its file says. */
export function folderOf(path: string): string | undefined {
  return readCacheFile(path, (file) => {
    const cwd = fieldsOf(file.read(0, HEAD).toString('utf8').split('\n', 1)[0]!)?.['cwd'];
    return typeof cwd === 'string' ? cwd : undefined;
  });
}

/** The number of messages, by the last line that says it. */
function lastCount(file: CacheFile): number | undefined {
  for (const length of TAILS) {
    const from = Math.max(0, file.size - length);
    const lines = file
      .read(from, file.size - from)
      .toString('utf8')
      .split('\n');
    // The first piece may be the end of a line, and the last one has no end.
    const counted = lines.slice(from === 0 ? 0 : 1, -1).findLast((line) => countOf(line) !== undefined);
    if (counted !== undefined) return countOf(counted);
    if (from === 0) return 0;
  }
  return undefined;
}

function countOf(line: string): number | undefined {
  const count = fieldsOf(line)?.['count'];
  return typeof count === 'number' ? count : undefined;
}

function fieldsOf(line: string): JsonObject | undefined {
  const fields = parseJson(line);
  return isObject(fields) ? fields : undefined;
}

export const SESSION_ENDING = '.jsonl';
const UNTITLED = '(no text)';
const HEAD = 8_192; // bytes: the first line and the title, which is bounded
const TAILS = [16_384, 1_048_576]; // bytes: mostly the first is enough
