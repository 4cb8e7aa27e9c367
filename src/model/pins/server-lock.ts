import type { LockedServer } from './lock.js';

/** What a lock file means for one server that may run. A server that no lock names has none. */
export type ServerLock =
  | {
      readonly kind: 'pinned';
      readonly file: string;
      readonly pins: LockedServer;
      /** Another one whenever the file says anything else. */
      readonly stamp: string;
      /** Of the entry as it is written now. */
      readonly entry: string | undefined;
    }
  /** It cannot be understood, so that nothing of the server may be used: a broken lock must not open what it closed. */
  | { readonly kind: 'broken'; readonly file: string; readonly reason: string; readonly stamp: string };

export type ServerLocks = ReadonlyMap<string, ServerLock>;
