import { cacheFolder } from '../../edge/files/cache-folder.js';

/** Whether a server needs a sign-in, cached so that the next start does not ask the server again. */
export interface CachedSignInNeed {
  /** Undefined when nothing is cached. `challenge`: the WWW-Authenticate header of the refusal, where it had one. */
  get(): { readonly challenge?: string } | undefined;
  /** Never rejects. */
  set(challenge?: string): Promise<void>;
  /** After a sign-in, or another change of the server. Never rejects. */
  delete(): Promise<void>;
}

/** A cache folder with one small file for each config hash, valid for a quarter of an hour. */
export function signInNeededCache(folder: string, now: () => number = Date.now): (hash: string) => CachedSignInNeed {
  const entries = cacheFolder(folder, { lifetime: LIFETIME, limit: SIZE_LIMIT, parse: toSaid, now });
  return (hash) => {
    const entry = entries(hash);
    // A longer challenge is left out: the server sends it again at the sign-in.
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
const SIZE_LIMIT = 30_000; // bytes: a challenge of that length with every character escaped
