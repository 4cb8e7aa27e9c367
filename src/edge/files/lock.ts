import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { succeeds } from '../../base/attempt.js';
import { HostError } from '../../base/errors.js';
import { pause } from '../../base/pause.js';
import { shellWord } from '../../base/shell-word.js';
import { systemClock } from '../clock.js';
import { fateOf, type LockOwner, newOwner, parseOwner } from './lock-owner.js';
import { errorCodeOf, toWriteError } from './write-error.js';

export interface LockOptions {
  /** How long to wait for the present holder. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Internal: fault tests kill the process between two steps. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Runs `work` while no other process, and no other call in this one, is in `withLock` for the same path.
 *
 * The lock is the directory `<path>.lock` with one entry, whose name is the owner. It is prepared beside and renamed
 * into place, which the system allows only onto nothing or onto an empty directory: so there is never a moment when two
 * hold it, or when one holds it without a name. Breaking a dead owner's lock removes the entry of that name, which
 * cannot hurt whoever came after; what remains is an empty directory, free for the next rename.
 */
export async function withLock<T>(path: string, work: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const owner = newOwner();
  const lock = `${path}.lock`;
  const attempt: Attempt = {
    path,
    lock,
    owner,
    ticket: `${lock}.${owner.id}`,
    madeAt: 0,
    onStep: options.onStep ?? (() => {}),
  };
  await acquire(attempt, options);
  const entry = join(lock, owner.id);
  const heart = setInterval(() => beat(entry), HEARTBEAT_MS).unref();
  try {
    attempt.onStep('locked');
    removeLeftovers(attempt, entry);
    return await work();
  } finally {
    clearInterval(heart);
    release(attempt, entry);
  }
}

const TIMEOUT_MS = 10_000; // a write takes milliseconds; who waits this long waits for something broken
const LEASE_MS = 60_000; // only for owners whose life cannot be asked about: another machine, another container
const HEARTBEAT_MS = 15_000; // four beats in a lease, so one late beat loses nothing
const LONGEST_PAUSE_MS = 20; // short against a person's patience, long against the cost of a look

interface Attempt {
  readonly path: string;
  readonly lock: string;
  readonly owner: LockOwner;
  /** The directory that becomes the lock. */
  readonly ticket: string;
  /** When the ticket was signed, by our clock: the file system may have another. */
  madeAt: number;
  readonly onStep: (step: string) => void;
}

/** Cleared: what stood in the way is gone, and the next try may be made at once. */
interface Look {
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
      // At once, but not for ever: whatever keeps coming back must not keep the event loop from everybody else.
      if (look.kind === 'cleared' && tries % 8 !== 7) continue;
      using _ = systemClock.hold(); // its timers keep no program alive
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
  mkdirSync(ticket, { mode: 0o755 }); // readable, so that another user can at least learn who holds the lock
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
      case 'EPERM': // Windows, even of an empty directory; elsewhere another user's lock in a sticky folder
      case 'EACCES':
        if (process.platform !== 'win32' && !isDirectory(attempt.lock)) throw error;
        return false;
      case 'ENOENT': // another machine took our ticket for a leftover
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

/** Who is in the way? Dead owners are removed by name. */
function inspect(attempt: Attempt): Look {
  // Never through a symbolic link: it could make the entries of any folder look like ours.
  if (lstatSync(attempt.lock, { throwIfNoEntry: false }) === undefined) return { kind: 'cleared' };
  if (!isDirectory(attempt.lock)) return { kind: 'held' };
  let names: string[];
  try {
    names = readdirSync(attempt.lock);
  } catch (error) {
    return { kind: errorCodeOf(error) === 'ENOENT' ? 'cleared' : 'held' };
  }
  // Where a rename may not replace even an empty directory, it has to go first.
  if (names.length === 0) return { kind: succeeds(() => rmdirSync(attempt.lock)) ? 'cleared' : 'held' };
  const ownEntry = join(attempt.ticket, attempt.owner.id);
  for (const name of names) {
    const holder = parseOwner(name);
    if (!holder) continue; // nothing that we put there, so nothing that we remove
    const entry = join(attempt.lock, name);
    const broken = isStale(holder, { entry, ownEntry, attempt }) && succeeds(() => unlinkSync(entry));
    return broken ? { kind: 'cleared' } : { kind: 'held', holder };
  }
  return { kind: 'held' };
}

function isStale(owner: LockOwner, where: { entry: string; ownEntry: string; attempt: Attempt }): boolean {
  const fate = fateOf(owner, where.attempt.owner);
  if (fate !== 'unknown') return fate === 'gone';
  try {
    // Both times by the clock of the file system, which on a network is neither machine's.
    const offset = statSync(where.ownEntry).mtimeMs - where.attempt.madeAt;
    return Date.now() + offset - statSync(where.entry).mtimeMs > LEASE_MS;
  } catch {
    return false; // gone in the meantime: the next look will show what is there now
  }
}

/** Without creating it: if our lock was broken, the directory belongs to somebody else by now. */
function beat(entry: string): void {
  succeeds(() => writeFileSync(entry, '.', { flag: 'r+' }));
}

/** If it fails the lock stays until this process ends, and then the next one breaks it: nothing is lost. */
function release({ lock, onStep }: Attempt, entry: string): void {
  succeeds(() => unlinkSync(entry));
  onStep('unsigned');
  succeeds(() => rmdirSync(lock)); // fails when the next owner is already in, as it should
  onStep('released');
}

/** What killed writers of this same path left behind: tickets (`.lock.<owner>`) and half-written files (`.<owner>.tmp`). */
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
    // Moved aside first: if its owner lives after all, either its rename or ours finds nothing.
    const aside = `${attempt.lock}.${newOwner().id}`;
    if (succeeds(() => renameSync(entry, aside))) removeTicket(aside);
  }
}

function removeTicket(ticket: string): void {
  // Otherwise it is gone already, or not ours to remove.
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

function timedOut({ path, lock }: Attempt, { look, timeoutMs }: { look: Look; timeoutMs: number }): HostError {
  const who = look.holder ? `process ${look.holder.pid}` : 'somebody unknown';
  return new HostError('lock-timeout', `${path} is locked by ${who}; waited ${timeoutMs} ms`, {
    hint: `Wait for ${who} or end it. If there is no such process, remove the lock: rm -r ${shellWord(lock)}`,
  });
}
