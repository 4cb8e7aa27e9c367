import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../base/json.js';
import { writeCacheFile } from './cache-file.js';
import { readBounded } from './read-file.js';

export interface CacheFolderOptions<T> {
  /** Milliseconds for which an entry is valid. */
  readonly lifetime: number;
  /** Bytes; a larger file is ignored. */
  readonly limit: number;
  readonly parse: (stored: Readonly<Record<string, unknown>>) => T | undefined;
  readonly now: () => number;
}

/** One small cached value. Losing it costs one request. */
export interface CacheEntry<T> {
  get(): T | undefined;
  /** Never rejects. */
  set(value: T): Promise<void>;
  /** Never rejects. */
  delete(): Promise<void>;
}

/** A cache in a folder, with one small file for each name, so that two programs never wait for each other. */
export function cacheFolder<T extends object>(
  folder: string,
  options: CacheFolderOptions<T>,
): (name: string) => CacheEntry<T> {
  const { lifetime, now } = options;
  // Swept once per process: otherwise each of a thousand servers would check a hundred files.
  let isSwept = false;
  const sweepOnce = async (): Promise<void> => {
    if (isSwept) return;
    isSwept = true;
    await sweep(folder, now() - 2 * lifetime);
  };
  return (name) => {
    const path = join(folder, `${name}.json`);
    return {
      get: () => readEntry(path, options),
      async set(value) {
        try {
          await writeCacheFile(path, [JSON.stringify({ ...value, at: now() })]);
          await sweepOnce();
        } catch {
          // Nothing is lost: a cached value can be found out again.
        }
      },
      delete: () => rm(path, { force: true }).catch(() => {}),
    };
  };
}

/** Removes files last written before `before`: their names hold an entry's hash, so every edit leaves one. */
async function sweep(folder: string, before: number): Promise<void> {
  const names = (await readdir(folder)).slice(0, SWEPT_AT_ONCE);
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs < before) await rm(path, { force: true });
  }
}

function readEntry<T>(path: string, { limit, lifetime, parse, now }: CacheFolderOptions<T>): T | undefined {
  const file = readBounded(path, { limit });
  if (file.kind !== 'text') return undefined;
  let stored: unknown;
  try {
    stored = JSON.parse(file.text);
  } catch {
    return undefined;
  }
  if (!isObject(stored)) return undefined;
  const { at } = stored;
  // A time in the future means that the clock was wrong, then or now.
  const age = typeof at === 'number' ? now() - at : -1;
  return age >= 0 && age < lifetime ? parse(stored) : undefined;
}

const SWEPT_AT_ONCE = 100;
