import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { CREDENTIAL_LIMIT, type CredentialFiles, type CredentialFilesOptions } from './credential-files.js';
import type { CredentialRecord } from './credential-record.js';
import type { RecordKey } from './credential-store.js';
import { type BoundedKeychain, KeychainFailure, type KeychainTrouble } from './keychain.js';
import { parseRecord, type RecordFields, toRecordText } from './record-json.js';
import { belongs, type RecordPlace } from './record-place.js';

export interface RecordLocationsOptions extends CredentialFilesOptions {
  readonly files: CredentialFiles;
  /** Undefined: no keychain is used. */
  readonly keychain: BoundedKeychain | undefined;
}

export interface FoundRecord {
  readonly record?: CredentialRecord | undefined;
  readonly fields?: RecordFields | undefined;
  /** The highest revision of all copies and markers; the next save gets a higher one. */
  readonly highest: number;
  /** The file does not hold a valid record. */
  readonly isBroken?: boolean;
}

/**
 * The two locations of a record: a file, or a keychain entry with a small marker file. The marker is written before the
 * entry, with the revision that the entry will have. So a file of at least that revision is valid without asking the
 * keychain, and a process that is killed between two steps leaves a copy that is found.
 */
export class RecordLocations {
  readonly #options: RecordLocationsOptions;

  constructor(options: RecordLocationsOptions) {
    this.#options = options;
  }

  /** Rejects with a HostError when there is a copy that cannot be read now, which is not the same as no copy. */
  async find(key: RecordKey, place: RecordPlace): Promise<FoundRecord> {
    const found = await this.#look(key, place);
    // Without a lock, the record may have moved to the file after the file was read.
    return found.record || found.isBroken ? found : this.#fromFile(key, place, found);
  }

  async #look(key: RecordKey, place: RecordPlace): Promise<FoundRecord> {
    const filed = this.#fromFile(key, place, NOTHING);
    const marked = this.#markerRevision(place);
    if (marked === undefined) return filed;
    const known = { ...filed, highest: Math.max(filed.highest, Number.isFinite(marked) ? marked : 0) };
    const { keychain } = this.#options;
    if (!keychain || (filed.record && filed.record.revision >= marked)) return known;
    const text = await keychain.read(place.entry).catch((failure: unknown) => {
      throw notNow(place, failure);
    });
    const kept = text === undefined ? NOTHING : this.#parsed(text, { key, place, where: 'the keychain' });
    const newer = (kept.record?.revision ?? -1) > (filed.record?.revision ?? -1) ? kept : filed;
    const highest = Math.max(known.highest, kept.highest);
    // A broken keychain entry is left for the next save to replace: there is no other place that is as safe.
    return { ...newer, highest, isBroken: filed.isBroken === true && newer === filed };
  }

  /** Only while holding the lock. */
  async setAside(key: RecordKey, place: RecordPlace): Promise<FoundRecord> {
    const { files } = this.#options;
    const text = files.read(place.file);
    const parsed = text === undefined ? undefined : parseRecord(text);
    if (parsed?.kind === 'broken') files.setAside(place.file, parsed.reason);
    return this.find(key, place);
  }

  /** Only while holding the lock. Rejects with `write-failed`, and then the old copy is intact. */
  async save(
    place: RecordPlace,
    { record, found }: { readonly record: Omit<CredentialRecord, 'revision'>; readonly found: FoundRecord },
  ): Promise<FoundRecord> {
    const saved: CredentialRecord = { ...record, revision: found.highest + 1 };
    const text = toRecordText(saved, found.fields);
    const bytes = Buffer.byteLength(text);
    if (bytes > CREDENTIAL_LIMIT) {
      const message = `The sign-in for ${place.shown} takes ${bytes} bytes; the limit is ${CREDENTIAL_LIMIT}`;
      throw new HostError('write-failed', message, { hint: 'Ask for fewer rights, so that the tokens get smaller' });
    }
    if (!(await this.#toKeychain(place, { saved, text, bytes }))) await this.#toFile(place, text);
    return { record: saved, fields: JSON.parse(text) as RecordFields, highest: saved.revision };
  }

  /** Only while holding the lock. */
  async remove(place: RecordPlace): Promise<FoundRecord> {
    const { files, keychain } = this.#options;
    if (this.#markerRevision(place) !== undefined) {
      // The entry goes first: as long as its marker exists, it would be found again.
      await keychain?.remove(place.entry).catch((cause: unknown) => {
        const message = `The sign-in for ${place.shown} is still in the keychain, which ${reasonOf(cause)}`;
        throw new HostError('write-failed', message, { hint: UNLOCK, cause });
      });
      if (!keychain)
        this.#options.onProblem(`The sign-in for ${place.shown} may still be in the keychain, which is turned off`);
      files.remove(place.marker);
    }
    files.remove(place.file);
    return NOTHING;
  }

  /** Returns whether the record is in the keychain now. */
  async #toKeychain(
    place: RecordPlace,
    { saved, text, bytes }: { readonly saved: CredentialRecord; readonly text: string; readonly bytes: number },
  ): Promise<boolean> {
    const { files, keychain, onStep } = this.#options;
    if (!keychain) return false;
    if (bytes > keychain.limit) {
      this.#options.onProblem(
        `The keychain takes ${keychain.limit} bytes at most: longer sign-ins are kept in ${this.#options.folder}`,
      );
      return false;
    }
    const marked = this.#markerRevision(place);
    try {
      await files.writeAlone(place.marker, JSON.stringify({ version: 1, revision: saved.revision }));
    } catch (error) {
      // On a full disk the old marker also leads to the new entry, unless there is a file that would count as newer.
      if (marked === undefined || files.read(place.file) !== undefined) throw error;
    }
    onStep?.('marked');
    try {
      await keychain.write(place.entry, text);
    } catch (failure) {
      if (marked === undefined) this.#quietly(() => files.remove(place.marker));
      this.#options.onProblem(
        `Sign-ins are kept in ${this.#options.folder}, readable by you alone: the keychain ${reasonOf(failure)}`,
        'home',
      );
      return false;
    }
    onStep?.('kept');
    this.#quietly(() => files.remove(place.file)); // if the file stays, its revision is the lower one
    return true;
  }

  async #toFile(place: RecordPlace, text: string): Promise<void> {
    const { files, keychain } = this.#options;
    await files.write(place.file, text);
    if (this.#markerRevision(place) === undefined || !keychain) return;
    // If that fails, the older copy stays, with the lower revision.
    await keychain.remove(place.entry).then(
      () => this.#quietly(() => files.remove(place.marker)),
      () => {},
    );
  }

  #fromFile(key: RecordKey, place: RecordPlace, otherwise: FoundRecord): FoundRecord {
    const { files } = this.#options;
    const text = files.read(place.file);
    return text === undefined ? otherwise : this.#parsed(text, { key, place, where: files.pathOf(place.file) });
  }

  #parsed(
    text: string,
    { key, place, where }: { readonly key: RecordKey; readonly place: RecordPlace; readonly where: string },
  ): FoundRecord {
    const parsed = parseRecord(text);
    switch (parsed.kind) {
      case 'record': {
        const highest = parsed.record.revision;
        if (belongs(parsed.record, key)) return { record: parsed.record, fields: parsed.fields, highest };
        this.#options.onProblem(`What is in ${where} is not the sign-in for ${place.shown}: it is ignored`);
        return { highest };
      }
      case 'newer':
        throw new HostError(
          'config-unreadable',
          `The sign-in for ${place.shown} in ${where} has format ${parsed.version}, of a newer Plugboard`,
          { hint: 'Sign in with the newer program, or update this one' },
        );
      case 'broken':
        if (where === 'the keychain')
          this.#options.onProblem(`The sign-in for ${place.shown} in the keychain cannot be read: ${parsed.reason}`);
        return { highest: 0, isBroken: true };
      default:
        return unreachable(parsed);
    }
  }

  /** The highest revision of the keychain's copy; undefined without a marker, infinite for an unreadable one. */
  #markerRevision(place: RecordPlace): number | undefined {
    const text = this.#options.files.read(place.marker);
    if (text === undefined) return undefined;
    const value = parseJson(text);
    const revision = isObject(value) ? value['revision'] : undefined;
    return Number.isSafeInteger(revision) ? (revision as number) : Number.POSITIVE_INFINITY;
  }

  #quietly(step: () => void): void {
    try {
      step();
    } catch {
      // what stays has a lower revision than the valid copy
    }
  }
}

const NOTHING: FoundRecord = { highest: 0 };
const UNLOCK = 'Unlock the keychain and try again; or set PLUGBOARD_KEYCHAIN=off, and sign in again';

function notNow(place: RecordPlace, cause: unknown): HostError {
  const message = `The sign-in for ${place.shown} is in the keychain, which ${reasonOf(cause)}`;
  const detail = { kind: 'oauth', isTransient: true } as const;
  return new HostError('sign-in-failed', message, { hint: UNLOCK, detail, cause });
}

function reasonOf(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  const trouble = cause instanceof KeychainFailure ? cause.trouble : 'refused';
  return `${TROUBLES[trouble]}: ${said}`;
}

const TROUBLES: Readonly<Record<KeychainTrouble, string>> = {
  absent: 'cannot be reached',
  refused: 'is locked, or refuses',
  slow: 'gives no answer',
};
