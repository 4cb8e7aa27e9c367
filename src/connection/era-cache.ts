import { type CacheEntry, cacheFolder } from '../edge/files/cache-folder.js';
import type { Era } from '../wire/eras/era.js';

/** How a server was found to speak, so that the next connect need not find out. */
export interface DetectedEra {
  readonly era: Era['name'];
  /** It was reached by the second way that its kind has. */
  readonly isFallback: boolean;
}

/** What is remembered of one server; forgotten when it did not lead anywhere. */
export type CachedEra = CacheEntry<DetectedEra>;

/** Verdicts in a folder, one small file for each config hash. */
export function eraCache(folder: string, now: () => number = Date.now): (hash: string) => CachedEra {
  const entries = cacheFolder(folder, { lifetime: LIFETIME, limit: SIZE_LIMIT, parse: toVerdict, now });
  return (hash) => {
    const entry = entries(hash);
    let known: DetectedEra | undefined;
    return {
      get: () => (known = entry.get()),
      async set(verdict) {
        if (known?.era === verdict.era && known.isFallback === verdict.isFallback) return;
        await entry.set(verdict);
      },
      async delete() {
        if (known) await entry.delete();
        known = undefined;
      },
    };
  };
}

function toVerdict({ era, isFallback }: Readonly<Record<string, unknown>>): DetectedEra | undefined {
  return era === 'legacy' || era === 'modern' ? { era, isFallback: isFallback === true } : undefined;
}

const SIZE_LIMIT = 1_000;
const LIFETIME = 7 * 86_400_000; // a server that has learned the new era is asked again within a week
