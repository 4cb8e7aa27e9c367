import type { LockedServer } from './lock.js';

/** What a lock file says of one server that may run. A server that no lock names has no `ServerLock`. */
export type ServerLock =
  | {
      readonly kind: 'pinned';
      readonly file: string;
      readonly pins: LockedServer;
      /** Changes whenever the file's content does. */
      readonly stamp: string;
      /** The pin of the entry as it is now. */
      readonly entry: string | undefined;
    }
  /** The file cannot be read, so nothing of the server may be used: damage must not unlock anything. */
  | { readonly kind: 'broken'; readonly file: string; readonly reason: string; readonly stamp: string };

export type ServerLocks = ReadonlyMap<string, ServerLock>;
