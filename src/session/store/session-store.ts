import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { digest } from '../../edge/files/digest.js';
import { tryLock } from '../../edge/files/lock.js';
import { makePrivateFolder } from '../../edge/files/private-folder.js';
import { toWriteError } from '../../edge/files/write-error.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { Journal, StoredItem } from '../journal.js';
import { folderOf, listSessions, SESSION_ENDING, type StoredSession, summaryOf } from './list-sessions.js';
import { pairItems, type PairedItems } from './paired-items.js';
import { FOLDER_NAME, pruneSessions } from './prune-sessions.js';
import { SaidItems } from './said-items.js';
import { cutAt, type RestoredSession } from './restored-session.js';
import { brokenSession, sessionInUse, sessionTaken, unknownSession } from './session-error.js';
import {
  openSessionFile,
  readSessionFile,
  SESSION_FLAGS,
  type SessionFileRead,
  type WantedFile,
} from './session-file.js';
import { type JournalState, SessionJournal } from './session-journal.js';
import { faultReason } from './session-reader.js';
import { isUuid } from '../../base/uuid.js';

/** Where sessions are kept, and for what. */
export interface SessionStoreOptions {
  /** The state folder of the user. */
  readonly state: string;
  /** The folder that sessions are kept for. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Called with one line when a session can be kept no longer. Contract: must not throw. */
  readonly onFailure: (reason: string) => void;
}

/** A journal that writes the file of a session until it is disposed of. */
export interface OpenJournal extends Journal, Disposable {
  /** Of the session. */
  readonly id: string;
}

/** A session that is read, and the journal that goes on with it. */
export interface ResumedSession {
  readonly session: RestoredSession;
  readonly journal: OpenJournal;
}

/** The kept sessions of one folder. What fails throws a `HostError`. */
export class SessionStore {
  readonly #options: SessionStoreOptions;
  readonly #root: string;
  readonly #folder: string;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#root = join(options.state, 'sessions');
    this.#folder = join(this.#root, digest(options.cwd).slice(0, FOLDER_LENGTH));
  }

  /** Newest first; only those with a message. Never throws: what cannot be read is left out. */
  list(): readonly StoredSession[] {
    return listSessions(this.#folder);
  }

  /** Makes the folder where it is missing, and checks that it is the user's own. To be awaited before writing. */
  async prepare(): Promise<void> {
    try {
      await makePrivateFolder(this.#folder);
    } catch (cause) {
      throw toWriteError(join(this.#folder, 'session'), cause);
    }
    this.#checkFolders();
  }

  /** Begins the file of a new session, as a copy of another one if there is one. */
  create(id: string = randomUUID(), from?: RestoredSession): OpenJournal {
    const path = this.#pathOf(id);
    const lock = this.#lock(path, id);
    try {
      // A process that ended before its first message leaves a file that nobody misses.
      if (summaryOf(path)?.messages === 0) unlinkSync(path);
      if (existsSync(path)) throw sessionTaken(id);
      const { now, cwd } = this.#options;
      const origin = from ? { forkedFrom: from.id } : {};
      const header = { id, cwd, created: now().toISOString(), ...origin };
      const descriptor = openSync(path, SESSION_FLAGS.append | constants.O_CREAT | constants.O_EXCL, 0o600);
      const journal = this.#journal({ path, descriptor, lock, state: { ...NOTHING, header } });
      journal.begin();
      if (from) journal.copy(from);
      return journal;
    } catch (cause) {
      lock[Symbol.dispose]();
      throw toWriteError(path, cause);
    }
  }

  /** Reads a session without writing to it. `until`: only up to this message. */
  read(id: string, until?: string): RestoredSession {
    return this.#read(id, { until }).session;
  }

  /** Reads a session with all that was said in it, also what was summarised since. */
  readSaid(id: string): { readonly session: RestoredSession; readonly said: readonly StoredItem[] } {
    const said = new SaidItems();
    const { session, added } = this.#read(id, { said });
    return { session, said: added ? [...said.all, added] : said.all };
  }

  #read(id: string, { until, said }: Pick<WantedFile, 'until' | 'said'>): Restored {
    const path = this.#pathOf(id);
    const descriptor = openSessionFile(path, 'read');
    if (descriptor === undefined) throw this.#unknown(id);
    try {
      const file = readSessionFile(descriptor, { path, id, until, ...(said && { said }) });
      return this.#restore(file, { path, id, until });
    } finally {
      closeSync(descriptor);
    }
  }

  /** Goes on with a session under its own id. Calls that were under way get a result that says so. */
  resume(id: string, until?: string): ResumedSession {
    const path = this.#pathOf(id);
    if (!existsSync(path)) throw this.#unknown(id);
    const lock = this.#lock(path, id);
    let descriptor: number | undefined;
    try {
      descriptor = openSessionFile(path, 'append');
      if (descriptor === undefined) throw this.#unknown(id);
      const file = readSessionFile(descriptor, { path, id, until });
      const { session, state, added } = this.#restore(file, { path, id, until });
      // The line under way when the last writer ended.
      if (fstatSync(descriptor).size > file.end) ftruncateSync(descriptor, file.end);
      const journal = this.#journal({ path, descriptor, lock, state });
      if (added) journal.add(added);
      if (until !== undefined) journal.rewrite(session.items, 'taken-back');
      return { session, journal };
    } catch (cause) {
      if (descriptor !== undefined) closeSync(descriptor);
      lock[Symbol.dispose]();
      throw toWriteError(path, cause);
    }
  }

  /** Deletes what is older than `days` in any folder, and the oldest beyond `mb`. Never rejects. */
  async prune(limits: { readonly days: number; readonly mb: number }): Promise<number> {
    return pruneSessions(this.#root, { ...limits, now: this.#options.now().getTime() });
  }

  /** The path of a session, in folders that only this user may write. */
  #pathOf(id: string): string {
    // Checked by every caller that has it from outside; here so that no other text ever becomes a path.
    if (!isUuid(id)) throw unknownSession(id);
    this.#checkFolders();
    return join(this.#folder, `${id}${SESSION_ENDING}`);
  }

  /** Others could put sessions into a folder that they may write. What is not there passes. */
  #checkFolders(): void {
    for (const folder of [this.#root, this.#folder]) {
      const fault = folderFault(folder);
      if (fault === undefined) continue;
      throw new HostError('write-failed', `Sessions cannot be kept in ${folder}: ${fault}`, {
        hint: `Make it yours alone: chmod 700 ${shellWord(folder)}`,
      });
    }
  }

  #lock(path: string, id: string): Disposable {
    const lock = tryLock(path);
    if (lock.kind === 'held') throw sessionInUse(id, lock.pid);
    return lock;
  }

  #journal(parts: JournalParts): SessionJournal {
    const { now, onFailure } = this.#options;
    return new SessionJournal({ ...parts, now, onFailure });
  }

  #restore({ reader, end, values }: SessionFileRead, { path, id, until }: Wanted): Restored {
    try {
      // Only the first bytes of the file were written: nothing was said.
      if (end === 0) throw this.#unknown(id);
      const { header, title, model, told, flow } = reader;
      const loose = reader.looseResults;
      const { items, added } = pairItems(reader.items, new Map([...loose].map(([key, { result }]) => [key, result])));
      const { forkedFrom, ...head } = header;
      const whole: RestoredSession = { ...head, forkedFrom, title, model, items, told, flow };
      const session = until === undefined ? whole : cutAt(whole, until, reader.toldUntil);
      if (!session) throw unknownMessage(id, until!);
      const ids = reader.items.map((item) => item.id);
      const { count, last } = reader;
      const state = { header, ids, last, title, count, loose: [...loose.values()], told, size: end, values };
      return { session, state, added };
    } catch (cause) {
      if (cause instanceof HostError) throw cause;
      throw brokenSession(path, faultReason(cause));
    }
  }

  /** Says which other folder has the session. */
  #unknown(id: string): HostError {
    const folders = attempt(() => readdirSync(this.#root), []).filter((name) => FOLDER_NAME.test(name));
    const paths = folders.map((name) => join(this.#root, name, `${id}${SESSION_ENDING}`));
    const other = paths.find((path) => existsSync(path));
    return unknownSession(id, other === undefined ? undefined : folderOf(other));
  }
}

interface Wanted {
  readonly path: string;
  readonly id: string;
  readonly until: string | undefined;
}

interface Restored extends Pick<PairedItems, 'added'> {
  readonly session: RestoredSession;
  readonly state: JournalState;
}

interface JournalParts {
  readonly path: string;
  readonly descriptor: number;
  readonly lock: Disposable;
  readonly state: JournalState;
}

function unknownMessage(id: string, until: string): HostError {
  return new HostError('unknown-session', `No message found with message.uuid of: ${until} in session ${id}`, {
    hint: 'Name a message that is still in the conversation, or resume all of it',
  });
}

/** Why a folder cannot hold what only this user may write; undefined when it can. */
function folderFault(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const self = process.getuid?.();
  if (stats.isSymbolicLink() || !stats.isDirectory()) return 'it is not a folder of its own';
  if (self === undefined) return undefined; // Windows protects its folders in another way
  if (stats.uid !== self) return `it belongs to another user (uid ${stats.uid})`;
  return (stats.mode & 0o022) === 0 ? undefined : 'other users may write to it';
}

const FOLDER_LENGTH = 32; // hex digits of the hash of a folder: enough to keep folders apart
const NOTHING = { ids: [], last: null, title: undefined, count: 0, loose: [], told: undefined, size: 0, values: 0 };
