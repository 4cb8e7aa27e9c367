import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../base/json.js';
import { writeCacheFile } from '../edge/cache-file.js';
import { makePrivateFolder } from '../edge/private-folder.js';
import { readBounded } from '../edge/read-file.js';
import type { Era } from '../wire/eras/era.js';

/** How a server was found to speak, so that the next connect need not find out. */
export interface EraVerdict {
  readonly era: Era['name'];
  /** It was reached by the second way that its kind has. */
  readonly isFallback: boolean;
}

/** What is remembered of one server. A cache: losing it costs one question. */
export interface EraNote {
  recall(): EraVerdict | undefined;
  /** Never rejects. */
  keep(verdict: EraVerdict): Promise<void>;
  /** What was remembered did not lead anywhere. Never rejects. */
  forget(): Promise<void>;
}

/** Verdicts in a folder, one small file for each config hash, so that two programs never wait for each other. */
export function eraMemory(folder: string, now: () => number = Date.now): (hash: string) => EraNote {
  // Once for all that are kept: a thousand servers would look at a hundred files each.
  let isSwept = false;
  const sweepOnce = async (): Promise<void> => {
    if (isSwept) return;
    isSwept = true;
    await sweep(folder, now());
  };
  return (hash) => {
    const path = join(folder, `${hash}.json`);
    let known: EraVerdict | undefined;
    return {
      recall: () => (known = recall(path, now())),
      async keep(verdict) {
        if (known?.era === verdict.era && known.isFallback === verdict.isFallback) return;
        try {
          await makePrivateFolder(folder);
          await writeCacheFile(path, [JSON.stringify({ ...verdict, at: now() })]);
          await sweepOnce();
        } catch {
          // The next connect asks again.
        }
      },
      async forget() {
        if (known) await rm(path, { force: true }).catch(() => {});
        known = undefined;
      },
    };
  };
}

/** Every edit of an entry gives it another hash, and leaves a file behind. */
async function sweep(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).slice(0, SWEPT_AT_ONCE);
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (now - mtimeMs > 2 * LIFETIME) await rm(path, { force: true });
  }
}

function recall(path: string, now: number): EraVerdict | undefined {
  const file = readBounded(path, { limit: SIZE_LIMIT });
  if (file.kind !== 'text') return undefined;
  let noted: unknown;
  try {
    noted = JSON.parse(file.text);
  } catch {
    return undefined;
  }
  if (!isObject(noted)) return undefined;
  const { era, isFallback, at } = noted;
  if (era !== 'legacy' && era !== 'modern') return undefined;
  const isFresh = typeof at === 'number' && at <= now && now - at < LIFETIME;
  return isFresh ? { era, isFallback: isFallback === true } : undefined;
}

const SIZE_LIMIT = 1_000;
const SWEPT_AT_ONCE = 100;
const LIFETIME = 7 * 86_400_000; // a server that has learned the new era is asked again within a week
