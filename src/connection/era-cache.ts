import { type CacheEntry, cacheFolder } from '../edge/files/cache-folder.js';
import type { Era } from '../wire/eras/era.js';

/** The era that a server was found to speak, cached to spare the next connect the detection. */
export interface DetectedEra {
  readonly era: Era['name'];
  /** The server was reached by its transport's fallback (HTTP+SSE). */
  readonly isFallback: boolean;
}

/** The cached era of one server; deleted when connecting with it fails. */
export type CachedEra = CacheEntry<DetectedEra>;

/** Cached eras in a folder, one small file for each config hash. */
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
const LIFETIME = 7 * 86_400_000; // a server that has learned the modern era is detected within a week
