import { HostError } from '../../base/errors.js';
import { systemCode } from '../../base/system-code.js';
import { systemClock } from '../../edge/clock.js';
import { withLock } from '../../edge/files/lock.js';
import type { Clock } from '../../model/clock.js';
import { CredentialFiles } from './credential-files.js';
import type { CredentialRecord } from './credential-record.js';
import type { AloneOptions, CredentialStore, HeldRecord, RecordKey } from './credential-store.js';
import { BoundedKeychain, type Keychain } from './keychain.js';
import { systemKeychain } from './keychain-process.js';
import { memoryCredentials } from './memory-credentials.js';
import { RecordLocations } from './record-locations.js';
import { placeOf, type RecordPlace } from './record-place.js';
import { reportOnce } from '../report-once.js';
import { KeyedQueue } from '../keyed-queue.js';

export interface CredentialStoreOptions {
  /** Undefined: sign-ins are kept in memory only. */
  readonly folder: string | undefined;
  /** `auto`: the system's keychain, where it works and PLUGBOARD_KEYCHAIN is not `off`. */
  readonly keychain: 'auto' | 'off' | Keychain;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Reports, once each, what the user should know although the work goes on. Contract: must not throw. */
  readonly onProblem: (text: string) => void;
  readonly clock?: Clock;
  /** Internal: fault tests kill the process between two steps. */
  readonly onStep?: (step: string) => void;
}

export interface OpenedCredentialStore extends CredentialStore, AsyncDisposable {}

/** Stores sign-ins in the system's keychain, or in files that only their owner can read. Opening it reads nothing. */
export function openCredentialStore(options: CredentialStoreOptions): OpenedCredentialStore {
  const { folder } = options;
  return folder === undefined ? memoryCredentials() : new FolderCredentials({ ...options, folder });
}

class FolderCredentials implements OpenedCredentialStore {
  readonly #options: CredentialStoreOptions & { readonly folder: string };
  readonly #files: CredentialFiles;
  readonly #keychain: BoundedKeychain | undefined;
  readonly #locations: RecordLocations;
  readonly #turns = new KeyedQueue();
  readonly #tell: (text: string, topic?: string) => void;

  constructor(options: CredentialStoreOptions & { readonly folder: string }) {
    this.#options = options;
    this.#tell = reportOnce(options.onProblem);
    const told = { ...options, onProblem: this.#tell };
    this.#files = new CredentialFiles(told);
    const keychain = chosenKeychain(options);
    this.#keychain = keychain && new BoundedKeychain(keychain, options.clock ?? systemClock);
    this.#locations = new RecordLocations({ ...told, files: this.#files, keychain: this.#keychain });
  }

  async load(key: RecordKey): Promise<CredentialRecord | undefined> {
    const found = await this.#locations.find(key, placeOf(key, this.#options.folder));
    // A broken file is set aside only under the lock, because another process may have just replaced it.
    return found.isBroken ? this.alone(key, async ({ current }) => current) : found.record;
  }

  async alone<T>(key: RecordKey, work: (held: HeldRecord) => Promise<T>, options: AloneOptions = {}): Promise<T> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    const place = placeOf(key, this.#options.folder);
    const deadline = performance.now() + timeoutMs;
    const what = `the sign-in for ${place.shown}`;
    return this.#turns.run(
      place.file,
      () =>
        this.#locked(place, () => this.#held(key, place, work), { signal, timeoutMs: deadline - performance.now() }),
      { what, signal, timeoutMs },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keychain?.[Symbol.asyncDispose]();
  }

  async #locked<T>(place: RecordPlace, work: () => Promise<T>, options: AloneOptions): Promise<T> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    const { onStep } = this.#options;
    let hasBegun = false;
    const begin = (): Promise<T> => {
      hasBegun = true;
      return work();
    };
    try {
      await this.#files.prepare();
      const wanted = { timeoutMs, ...(signal && { signal }), ...(onStep && { onStep }) };
      return await withLock(this.#files.pathOf(place.file), begin, wanted);
    } catch (error) {
      if (hasBegun || !(error instanceof HostError) || !isForGood(error)) throw error;
      this.#tell(`Sign-ins cannot be saved or shared with other programs: ${error.message}`, 'lock');
      return work();
    }
  }

  /** `save` and `remove` throw once the lock is released. */
  async #held<T>(key: RecordKey, place: RecordPlace, work: (held: HeldRecord) => Promise<T>): Promise<T> {
    let found = await this.#locations.find(key, place);
    if (found.isBroken) found = await this.#locations.setAside(key, place);
    let isOver = false;
    const checkHeld = (): void => {
      if (isOver)
        throw new HostError('internal', `The lock of the sign-in for ${place.shown} was released before it was saved`);
    };
    const held: HeldRecord = {
      current: found.record,
      save: async (record) => {
        checkHeld();
        found = await this.#locations.save(place, { record, found });
        return found.record!;
      },
      remove: async () => {
        checkHeld();
        found = await this.#locations.remove(place);
      },
    };
    try {
      return await work(held);
    } finally {
      isOver = true;
    }
  }
}

const TIMEOUT_MS = 75_000; // two refreshes of 30 s by others, each with some time to spare

/**
 * A folder that cannot be written to stays so: without a lock, the tokens still serve this program. A full disk is
 * temporary, and two programs that refresh without a lock could both lose the sign-in.
 */
function isForGood(error: HostError): boolean {
  return error.code === 'write-failed' && ['EROFS', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '');
}

function chosenKeychain({ keychain, env, platform }: CredentialStoreOptions): Keychain | undefined {
  if (keychain === 'off' || env['PLUGBOARD_KEYCHAIN'] === 'off') return undefined;
  return keychain === 'auto' ? systemKeychain({ env, platform }) : keychain;
}
