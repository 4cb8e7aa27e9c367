import type { CredentialRecord } from './credential-record.js';
import type { CredentialStore, HeldRecord } from './credential-store.js';
import { placeOf } from './record-place.js';
import { KeyedQueue } from '../keyed-queue.js';

/** For a program without a folder: sign-ins last as long as the process. */
export function memoryCredentials(): CredentialStore & AsyncDisposable {
  const records = new Map<string, CredentialRecord>();
  const turns = new KeyedQueue();
  return {
    load: async (key) => records.get(placeOf(key, '').file),
    alone: async (key, work, { signal, timeoutMs = 75_000 } = {}) => {
      const { file, shown } = placeOf(key, '');
      const held = (): HeldRecord => ({
        current: records.get(file),
        save: async (record) => {
          const saved = { ...record, revision: (records.get(file)?.revision ?? 0) + 1 };
          records.set(file, saved);
          return saved;
        },
        remove: async () => void records.delete(file),
      });
      return turns.run(file, () => work(held()), { what: `the sign-in for ${shown}`, signal, timeoutMs });
    },
    async [Symbol.asyncDispose]() {},
  };
}
