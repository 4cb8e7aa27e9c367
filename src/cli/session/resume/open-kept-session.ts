import type { LoadedConfig } from '../../../actions/action-place.js';
import { HostError } from '../../../base/errors.js';
import { isUuid } from '../../../base/uuid.js';
import { showLine } from '../../../model/show.js';
import {
  type OpenJournal,
  type RestoredSession,
  type SessionOptions,
  SessionStore,
  type StoredSession,
} from '../../../session/index.js';
import type { ResumeFlags } from '../../input/resume-flags.js';
import type { Io } from '../../io.js';

export interface KeptSessionOptions {
  readonly flags: ResumeFlags;
  readonly loaded: LoadedConfig;
  readonly io: Pick<Io, 'now'>;
  /** Called with a line for the user, such as that the session cannot be kept. Contract: must not throw. */
  readonly onNote: (note: string) => void;
  /** Has the user pick a session; undefined: the user left. Without it, `--resume` needs an id. */
  readonly pick?: (sessions: readonly StoredSession[]) => Promise<string | undefined>;
}

/** A session that is new or goes on, and is kept unless the user does not want that. Disposing of it closes its file. */
export interface KeptSession extends AsyncDisposable {
  /** For the `Session`. */
  readonly options: Pick<SessionOptions, 'id' | 'openJournal' | 'restored' | 'startSource'>;
  readonly restored: RestoredSession | undefined;
  /** The sessions of this folder; undefined where none can be kept. */
  readonly store: SessionStore | undefined;
  /** The id of the conversation that is kept now; undefined before its first message, and where it is not kept. */
  readonly current: () => string | undefined;
  /** Opens another session of the same folder. Rejects as `openKeptSession` does. */
  readonly other: (id: string) => Promise<KeptSession>;
}

/**
 * Does what the flags of kept sessions say, for every face of a session. Undefined: the user left the picker. Rejects with
 * a HostError: `unknown-session`, `session-in-use`, `session-broken`, `usage`.
 */
export async function openKeptSession(options: KeptSessionOptions): Promise<KeptSession | undefined> {
  const { flags, loaded, onNote } = options;
  const { state } = loaded.context.places;
  const store = state === undefined ? undefined : openStore(options, state);
  const wanted = await findWanted(options, store);
  if (wanted.kind === 'left') return undefined;
  if (wanted.kind === 'found') return keep(options, wanted.store, restore(flags, wanted));
  const { id } = flags;
  if (!flags.isKept) return unkept(options, { source: 'startup', id }, store);
  if (!store) {
    onNote('This session is not kept: no home folder is known. Set HOME or XDG_STATE_HOME');
    return unkept(options, { source: 'startup', id }, store);
  }
  try {
    await store.prepare();
  } catch (cause) {
    onNote(toNote(cause));
    return unkept(options, { source: 'startup', id }, store);
  }
  // An id that the user chose may be taken, which has to be known before anything starts.
  const first = id === undefined ? undefined : createNamed(store, id, onNote);
  return keep(options, store, { source: 'startup', id, restored: undefined, first });
}

interface Opening {
  readonly source: 'startup' | 'resume' | 'fork';
  /** Undefined: the session makes its own. */
  readonly id: string | undefined;
  readonly restored: RestoredSession | undefined;
  /** Of the first conversation, where its file is open already. */
  readonly first: OpenJournal | undefined;
}

function openStore({ loaded, io, onNote }: KeptSessionOptions, state: string): SessionStore {
  const { cwd } = loaded.context;
  const onFailure = (reason: string): void => onNote(showLine(`This session is no longer kept: ${reason}`));
  return new SessionStore({ state, cwd, now: io.now, onFailure });
}

/** The session that goes on. */
type Wanted =
  | { readonly kind: 'found'; readonly store: SessionStore; readonly id: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'left' };

async function findWanted({ flags, pick }: KeptSessionOptions, store: SessionStore | undefined): Promise<Wanted> {
  const { from } = flags;
  if (from.kind === 'new') return { kind: 'none' };
  const none = new HostError('unknown-session', 'No conversation found to continue in this folder', {
    hint: 'Start one: plugboard',
  });
  if (from.kind === 'id') {
    if (store) return { kind: 'found', store, id: wholeId(from.id, store) };
    throw none;
  }
  if (from.kind === 'pick' && !pick) {
    throw new HostError('usage', '--resume needs the ID of a session where nobody can pick one', {
      hint: 'Write --resume ID, or --continue for the newest session of this folder',
    });
  }
  const sessions = store?.list() ?? [];
  if (!store || sessions.length === 0) throw none;
  const id = from.kind === 'newest' ? sessions[0]!.id : await pick!(sessions);
  return id === undefined ? { kind: 'left' } : { kind: 'found', store, id };
}

/** The id that begins so, where one session of this folder has it; else the same text. Throws `usage` for several. */
function wholeId(text: string, store: SessionStore): string {
  if (text.length < SHORT_ID || isUuid(text)) return text;
  const ids = store.list().flatMap(({ id }) => (id.startsWith(text) ? [id] : []));
  if (ids.length < 2) return ids[0] ?? text;
  throw new HostError('usage', `${ids.length} sessions of this folder begin with ${showLine(text)}`, {
    hint: `Write more of it: ${ids.slice(0, NAMED).join(', ')}`,
  });
}

/** Reads the session, and opens its file or the file of its copy. Throws a HostError. */
function restore(
  { isFork, isKept, id, at }: ResumeFlags,
  { store, id: wanted }: Extract<Wanted, { kind: 'found' }>,
): Opening {
  const source = isFork ? 'fork' : 'resume';
  if (!isFork && isKept) {
    const { session: restored, journal: first } = store.resume(wanted, at);
    return { source, id: wanted, restored, first };
  }
  const restored = store.read(wanted, at);
  if (!isKept) return { source, id: isFork ? id : wanted, restored, first: undefined };
  const first = store.create(id, restored);
  return { source, id: first.id, restored, first };
}

function keep(options: KeptSessionOptions, store: SessionStore, opening: Opening): KeptSession {
  const { flags, loaded, onNote } = options;
  const { source, id, restored } = opening;
  if (!flags.isKept) return unkept(options, opening, store);
  let first = opening.first;
  // After `clear` the file of the last conversation is still open for hooks, and the session closes it.
  const opened = new Set(first ? [first] : []);
  let current = first;
  const { days = DAYS, mb = MEGABYTES } = loaded.settings.sessions ?? {};
  const pruning = store.prune({ days, mb });
  return {
    restored,
    store,
    current: () => current?.id,
    other: (of) => openOther(options, of),
    options: {
      startSource: source,
      ...(id !== undefined && { id }),
      ...(restored && { restored }),
      openJournal(of) {
        current = first?.id === of ? first : tryCreate(store, of, onNote);
        first = undefined;
        if (current) opened.add(current);
        return current;
      },
    },
    async [Symbol.asyncDispose]() {
      for (const journal of opened) journal[Symbol.dispose]();
      await pruning;
    },
  };
}

function createNamed(store: SessionStore, id: string, onNote: KeptSessionOptions['onNote']): OpenJournal | undefined {
  try {
    return store.create(id);
  } catch (cause) {
    if (cause instanceof HostError && cause.code === 'session-in-use') throw cause;
    onNote(toNote(cause));
    return undefined;
  }
}

function tryCreate(store: SessionStore, id: string, onNote: KeptSessionOptions['onNote']): OpenJournal | undefined {
  try {
    return store.create(id);
  } catch (cause) {
    onNote(toNote(cause));
    return undefined;
  }
}

function unkept(
  options: KeptSessionOptions,
  { source, id, restored }: Pick<Opening, 'id' | 'source'> & Partial<Opening>,
  store: SessionStore | undefined,
): KeptSession {
  return {
    restored,
    store,
    current: () => undefined,
    other: (of) => openOther(options, of),
    options: { startSource: source, ...(id !== undefined && { id }), ...(restored && { restored }) },
    async [Symbol.asyncDispose]() {},
  };
}

async function openOther(options: KeptSessionOptions, id: string): Promise<KeptSession> {
  const flags: ResumeFlags = {
    ...options.flags,
    from: { kind: 'id', id },
    isFork: false,
    at: undefined,
    id: undefined,
  };
  // Nobody is asked to pick, so nobody leaves.
  return (await openKeptSession({ ...options, flags }))!;
}

function toNote(cause: unknown): string {
  if (!(cause instanceof HostError)) throw cause;
  const { message, hint } = cause;
  return showLine(`This session is not kept: ${message}${hint === undefined ? '' : `. ${hint}`}`);
}

export const SHORT_ID = 8; // characters of an id that --resume takes: fewer would often name several
const NAMED = 5;
const DAYS = 30;
const MEGABYTES = 500;
