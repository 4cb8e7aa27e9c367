import { lutimes } from 'node:fs/promises';
import { basename } from 'node:path';
import { isResultName } from './result-names.js';

/** Has saved results count as used now, so that others are deleted before them. Never rejects. */
export async function keepResults(paths: readonly string[]): Promise<void> {
  const now = Date.now() / 1_000; // as the file system's clock, by which the files age
  const ours = paths.filter((path) => isResultName(basename(path)));
  for (const path of ours) await lutimes(path, now, now).catch(() => {}); // deleted already
}
