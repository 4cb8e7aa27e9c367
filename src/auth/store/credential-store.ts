import type { CredentialRecord } from './credential-record.js';

/** Which record: the server's URL, the account, the client that the entry gives, if it gives one, and how its tokens are come by. */
export interface RecordKey {
  readonly server: string;
  readonly account: string;
  readonly clientId?: string | undefined;
  /** Of a token that nobody has to sign in for: it is not the user's. */
  readonly grant?: string | undefined;
}

/** Where sign-ins are kept from run to run, shared by all hosts of one user. */
export interface CredentialStore {
  /** The newest copy; undefined when there is none. Rejects with a HostError where that cannot be told. */
  load(key: RecordKey): Promise<CredentialRecord | undefined>;
  /**
   * Runs `work` while nobody else, in this process or another, is in `alone` for that key. It gets the newest copy, read after the
   * turn has come. Rejects with `lock-timeout`, `cancelled`, or what `work` rejects with.
   */
  alone<T>(key: RecordKey, work: (held: HeldRecord) => Promise<T>, options?: AloneOptions): Promise<T>;
}

export interface AloneOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface HeldRecord {
  readonly current: CredentialRecord | undefined;
  /** In place of whatever is there; its revision is counted here. Rejects with `write-failed`: then the old copy is intact. */
  save(record: Omit<CredentialRecord, 'revision'>): Promise<CredentialRecord>;
  remove(): Promise<void>;
}
