import { noteFolder } from '../edge/note-folder.js';

/** That a server wants somebody to sign in, so that the next start does not ask it once more. */
export interface SignInNote {
  /** The WWW-Authenticate header that it said so with, where it had one. */
  recall(): { readonly challenge?: string } | undefined;
  /** Never rejects. */
  keep(challenge?: string): Promise<void>;
  /** Somebody has signed in, or something else about the server is different now. Never rejects. */
  forget(): Promise<void>;
}

/** Notes in a folder, one small file for each config hash. They hold for a quarter of an hour. */
export function signInMemory(folder: string, now: () => number = Date.now): (hash: string) => SignInNote {
  const notes = noteFolder(folder, { lifetime: LIFETIME, limit: SIZE_LIMIT, parse: toSaid, now });
  return (hash) => {
    const note = notes(hash);
    // A longer one is as good as none: the server says it again when somebody signs in.
    return {
      ...note,
      keep: (challenge) =>
        note.keep(challenge === undefined || challenge.length > CHALLENGE_LIMIT ? {} : { challenge }),
    };
  };
}

function toSaid({ challenge }: Readonly<Record<string, unknown>>): { readonly challenge?: string } {
  return typeof challenge === 'string' ? { challenge } : {};
}

const LIFETIME = 15 * 60_000;
const CHALLENGE_LIMIT = 4_000; // characters
const SIZE_LIMIT = 30_000; // bytes: such a challenge, with every character escaped
