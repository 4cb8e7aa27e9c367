import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { succeeds } from '../../base/attempt.js';
import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import { shellWord } from '../../base/shell-word.js';
import { systemClock } from '../clock.js';
import { ownerState, type LockOwner, newOwner, parseOwner } from './lock-owner.js';
import { errorCodeOf, toWriteError } from './write-error.js';

export interface LockOptions {
  /** How long to wait for the current holder. 10 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Internal: fault tests kill the process between two steps. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Runs `work` while no other process, and no other call in this process, is in `withLock` for the same path.
 *
 * The lock is the directory `<path>.lock` with one entry, whose name is the owner. It is prepared under another name
 * (the ticket) and renamed into place, which the system allows only onto nothing or onto an empty directory: so the
 * lock never has two holders, or a holder without a name. Breaking a dead owner's lock removes the entry of that name,
 * which cannot hurt the next owner; what remains is an empty directory, free for the next rename.
 */
export async function withLock<T>(path: string, work: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const attempt = newAttempt(path, options.onStep);
  await acquire(attempt, options);
  using _ = hold(attempt);
  return await work();
}

/** A lock without waiting: held until it is disposed of, or who holds it, as far as that is known. */
export type TriedLock =
  | ({ readonly kind: 'taken' } & Disposable)
  | { readonly kind: 'held'; readonly pid: number | undefined };

/**
 * Takes the lock of `withLock` without waiting for its holder, for as long as the caller likes: a killed process loses
 * it. Throws a `HostError` where no lock can be made.
 */
export function tryLock(path: string): TriedLock {
  const attempt = newAttempt(path);
  try {
    makeTicket(attempt);
    for (let tries = 0; ; tries++) {
      if (take(attempt)) return Object.assign(hold(attempt), { kind: 'taken' as const });
      const look = inspect(attempt);
      if (look.kind === 'cleared' && tries < TRIES) continue;
      removeTicket(attempt.ticket);
      return { kind: 'held', pid: look.holder?.pid };
    }
  } catch (error) {
    removeTicket(attempt.ticket);
    throw toWriteError(path, error);
  }
}

function newAttempt(path: string, onStep: LockOptions['onStep'] = () => {}): Attempt {
  const owner = newOwner();
  const lock = `${path}.lock`;
  return { path, lock, owner, ticket: `${lock}.${owner.id}`, madeAt: 0, onStep };
}

/** Keeps a lock that was taken until it is disposed of. */
function hold(attempt: Attempt): Disposable {
  const entry = join(attempt.lock, attempt.owner.id);
  const heart = setInterval(() => beat(entry), HEARTBEAT_MS).unref();
  let isHeld = true;
  const drop = (): void => {
    if (!isHeld) return;
    isHeld = false;
    clearInterval(heart);
    release(attempt, entry);
  };
  try {
    attempt.onStep('locked');
    removeLeftovers(attempt, entry);
  } catch (error) {
    drop();
    throw error;
  }
  return { [Symbol.dispose]: drop };
}

const TIMEOUT_MS = 10_000; // a write takes milliseconds; after this long something is broken
const LEASE_MS = 60_000; // only for owners whose process cannot be checked: on another machine or in another container
const HEARTBEAT_MS = 15_000; // four heartbeats per lease, so one late heartbeat does no harm
const TRIES = 8; // obstacles of `tryLock` that are gone at once, one after the other
const LONGEST_PAUSE_MS = 20; // unnoticeable for a person, long compared with the cost of one check

interface Attempt {
  readonly path: string;
  readonly lock: string;
  readonly owner: LockOwner;
  /** The directory that is renamed to become the lock. */
  readonly ticket: string;
  /** When the owner's entry was written into the ticket, by this machine's clock: the file system's may differ. */
  madeAt: number;
  readonly onStep: (step: string) => void;
}

/** `cleared`: the obstacle is gone, and the next attempt may follow at once. */
interface Inspection {
  readonly kind: 'held' | 'cleared';
  readonly holder?: LockOwner;
}

async function acquire(attempt: Attempt, { timeoutMs = TIMEOUT_MS, signal }: LockOptions): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  try {
    signal?.throwIfAborted();
    makeTicket(attempt);
    for (let tries = 0; ; tries++) {
      if (take(attempt)) return;
      const look = inspect(attempt);
      if (performance.now() >= deadline) throw timedOut(attempt, { look, timeoutMs });
      // Retries at once, but pauses every eighth time: an obstacle that returns must not block the event loop.
      if (look.kind === 'cleared' && tries % 8 !== 7) continue;
      using _ = systemClock.hold(); // the clock's own timers do not keep the process alive
      await pause(1 + Math.random() * Math.min(LONGEST_PAUSE_MS - 1, 2 ** tries), { clock: systemClock, signal });
      signal?.throwIfAborted();
    }
  } catch (error) {
    removeTicket(attempt.ticket);
    if (signal?.aborted) {
      throw new HostError('cancelled', `Cancelled while waiting for the lock of ${attempt.path}`, { cause: error });
    }
    throw toWriteError(attempt.path, error);
  }
}

function makeTicket(attempt: Attempt): void {
  const { ticket, owner, onStep } = attempt;
  mkdirSync(ticket, { mode: 0o755 }); // readable, so that another user can find out who holds the lock
  onStep('ticket-made');
  attempt.madeAt = Date.now();
  writeFileSync(join(ticket, owner.id), '', { flag: 'wx', mode: 0o600 });
  onStep('ticket-signed');
}

function take(attempt: Attempt): boolean {
  try {
    renameSync(attempt.ticket, attempt.lock);
    return true;
  } catch (error) {
    switch (errorCodeOf(error)) {
      case 'ENOTEMPTY':
      case 'EEXIST':
      case 'EBUSY':
        return false;
      case 'EPERM': // Windows: even for an empty directory; elsewhere: another user's lock in a sticky folder
      case 'EACCES':
        if (process.platform !== 'win32' && !isDirectory(attempt.lock)) throw error;
        return false;
      case 'ENOENT': // another machine removed our ticket as a leftover
        makeTicket(attempt);
        return false;
      case 'ENOTDIR':
        throw notALock(attempt, error);
      case undefined:
      default:
        throw error;
    }
  }
}

/** Finds out who holds the lock, and removes the entry of a dead owner. */
function inspect(attempt: Attempt): Inspection {
  // Uses `lstat`: a symbolic link here could make the entries of any folder look like lock owners.
  if (lstatSync(attempt.lock, { throwIfNoEntry: false }) === undefined) return { kind: 'cleared' };
  if (!isDirectory(attempt.lock)) return { kind: 'held' };
  let names: string[];
  try {
    names = readdirSync(attempt.lock);
  } catch (error) {
    return { kind: errorCodeOf(error) === 'ENOENT' ? 'cleared' : 'held' };
  }
  // On Windows a rename cannot replace even an empty directory, so that is removed first.
  if (names.length === 0) return { kind: succeeds(() => rmdirSync(attempt.lock)) ? 'cleared' : 'held' };
  const ownEntry = join(attempt.ticket, attempt.owner.id);
  for (const name of names) {
    const holder = parseOwner(name);
    if (!holder) continue; // not an entry of Plugboard, so it is not removed
    const entry = join(attempt.lock, name);
    const broken = isStale(holder, { entry, ownEntry, attempt }) && succeeds(() => unlinkSync(entry));
    return broken ? { kind: 'cleared' } : { kind: 'held', holder };
  }
  return { kind: 'held' };
}

function isStale(owner: LockOwner, where: { entry: string; ownEntry: string; attempt: Attempt }): boolean {
  const fate = ownerState(owner, where.attempt.owner);
  if (fate !== 'unknown') return fate === 'gone';
  try {
    // Compares both times by the file system's clock, which on a network disk is neither machine's.
    const offset = statSync(where.ownEntry).mtimeMs - where.attempt.madeAt;
    return Date.now() + offset - statSync(where.entry).mtimeMs > LEASE_MS;
  } catch {
    return false; // removed meanwhile: the next attempt sees the new state
  }
}

/** Renews the lease. Does not create the entry: if this lock was broken, the directory belongs to another owner now. */
function beat(entry: string): void {
  succeeds(() => writeFileSync(entry, '.', { flag: 'r+' }));
}

/** Never throws. If removing fails, the lock stays until this process ends; the next process then breaks it. */
function release({ lock, onStep }: Attempt, entry: string): void {
  succeeds(() => unlinkSync(entry));
  onStep('unsigned');
  succeeds(() => rmdirSync(lock)); // fails when the next owner already holds the lock, as it should
  onStep('released');
}

/** Removes leftovers of killed writers: tickets (`.lock.<owner>`) and half-written files (`.<owner>.tmp`). */
function removeLeftovers(attempt: Attempt, ownEntry: string): void {
  const folder = dirname(attempt.path);
  const prefix = `${basename(attempt.path)}.`;
  let names: string[] = [];
  succeeds(() => (names = readdirSync(folder)));
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    const isTicket = rest.startsWith('lock.');
    const owner = parseOwner(isTicket ? rest.slice('lock.'.length) : rest.replace(/\.tmp$/, ''));
    const entry = join(folder, name);
    if (!owner || !isStale(owner, { entry, ownEntry, attempt })) continue;
    if (!isTicket) {
      succeeds(() => unlinkSync(entry));
      continue;
    }
    // Moved aside first: if the owner is alive after all, only one of the two renames succeeds.
    const aside = `${attempt.lock}.${newOwner().id}`;
    if (succeeds(() => renameSync(entry, aside))) removeTicket(aside);
  }
}

function removeTicket(ticket: string): void {
  // A failure is ignored: the ticket is gone already, or we may not remove it.
  succeeds(() => {
    for (const name of readdirSync(ticket)) if (parseOwner(name)) unlinkSync(join(ticket, name));
    rmdirSync(ticket);
  });
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function notALock({ path, lock }: Attempt, cause: unknown): HostError {
  const message = `Cannot lock ${path}: ${lock} is in the way and is not a lock`;
  return new HostError('write-failed', message, {
    hint: `Move it away: mv ${shellWord(lock)} ${shellWord(`${lock}.old`)}`,
    cause,
  });
}

function timedOut({ path, lock }: Attempt, { look, timeoutMs }: { look: Inspection; timeoutMs: number }): HostError {
  const who = look.holder ? `process ${look.holder.pid}` : 'an unknown process';
  return new HostError('lock-timeout', `${path} is locked by ${who}; waited ${timeoutMs} ms`, {
    hint: `Wait for ${who} or end it. If there is no such process, remove the lock: rm -r ${shellWord(lock)}`,
  });
}
