import { cacheFolder } from '../../edge/files/cache-folder.js';

/** That a server wants somebody to sign in, so that the next start does not ask it once more. */
export interface CachedSignInNeed {
  /** The WWW-Authenticate header that it said so with, where it had one. */
  get(): { readonly challenge?: string } | undefined;
  /** Never rejects. */
  set(challenge?: string): Promise<void>;
  /** Somebody has signed in, or something else about the server is different now. Never rejects. */
  delete(): Promise<void>;
}

/** A cache in a folder, one small file for each config hash. They hold for a quarter of an hour. */
export function signInNeededCache(folder: string, now: () => number = Date.now): (hash: string) => CachedSignInNeed {
  const entries = cacheFolder(folder, { lifetime: LIFETIME, limit: SIZE_LIMIT, parse: toSaid, now });
  return (hash) => {
    const entry = entries(hash);
    // A longer one is as good as none: the server says it again when somebody signs in.
    return {
      ...entry,
      set: (challenge) => entry.set(challenge === undefined || challenge.length > CHALLENGE_LIMIT ? {} : { challenge }),
    };
  };
}

function toSaid({ challenge }: Readonly<Record<string, unknown>>): { readonly challenge?: string } {
  return typeof challenge === 'string' ? { challenge } : {};
}

const LIFETIME = 15 * 60_000;
const CHALLENGE_LIMIT = 4_000; // characters
const SIZE_LIMIT = 30_000; // bytes: such a challenge, with every character escaped
