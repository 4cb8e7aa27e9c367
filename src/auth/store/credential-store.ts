import type { CredentialRecord } from './credential-record.js';

/** Identifies a record: the server's URL, the account, the entry's client id, and the grant. */
export interface RecordKey {
  readonly server: string;
  readonly account: string;
  readonly clientId?: string | undefined;
  /** Set for a grant without a user, whose tokens are not the user's. */
  readonly grant?: string | undefined;
}

/** Where sign-ins are stored, shared by all hosts of one user. */
export interface CredentialStore {
  /** The newest copy; undefined when there is none. Rejects with a HostError when that cannot be determined. */
  load(key: RecordKey): Promise<CredentialRecord | undefined>;
  /**
   * Runs `work` while no other caller, in this process or another, is in `alone` for this key. `work` gets the newest
   * copy, read after the lock was taken. Rejects with `lock-timeout`, `cancelled`, or what `work` rejects with.
   */
  alone<T>(key: RecordKey, work: (held: HeldRecord) => Promise<T>, options?: AloneOptions): Promise<T>;
}

export interface AloneOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface HeldRecord {
  readonly current: CredentialRecord | undefined;
  /** Replaces the record and increments its revision. Rejects with `write-failed`, and then the old copy is intact. */
  save(record: Omit<CredentialRecord, 'revision'>): Promise<CredentialRecord>;
  remove(): Promise<void>;
}
