import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { digest } from './digest.js';
import { readStat } from '../processes/process-stat.js';
import { errorCodeOf } from './write-error.js';
import { randomHex } from '../random-hex.js';

/**
 * The process that made a lock or a temporary file. All of it is in the file's name, so that the file can stay empty.
 */
export interface LockOwner {
  readonly id: string;
  readonly pid: number;
  /** Start of the process in ticks since boot, because pids are reused; '0' where the system does not report it. */
  readonly started: string;
  /** Hash of the kernel's boot id and the pid namespace: the pid is valid only there. */
  readonly place: string;
}

/** A unique owner: two locks of one process have two owners. */
export function newOwner(): LockOwner {
  const started = readStat('self')?.started ?? '0';
  const place = currentPlace();
  const id = `${process.pid}-${started}-${randomHex(12)}-${place}`;
  return { id, pid: process.pid, started, place };
}

export function parseOwner(name: string): LockOwner | undefined {
  const match = OWNER_NAME.exec(name);
  if (!match) return undefined;
  const [id, pid, started, place] = match;
  return { id, pid: Number(pid), started: started!, place: place! };
}

const OWNER_NAME = /^(\d{1,10})-(\d{1,20})-[0-9a-f]{24}-([0-9a-f]{12})$/;

/** Whether the owner's process still runs; `unknown` on another machine or container, or without start times. */
export function ownerState(owner: LockOwner, self: LockOwner): 'running' | 'gone' | 'unknown' {
  if (owner.place !== self.place) return 'unknown';
  if (!isRunning(owner.pid)) return 'gone';
  const found = readStat(owner.pid);
  if (!found || found.started === '0' || owner.started === '0') return 'unknown';
  // A killed process that its parent has not waited for keeps its pid; in a container without init, for ever.
  if (found.dead) return 'gone';
  return found.started === owner.started ? 'running' : 'gone';
}

export function isRunning(pid: number): boolean {
  if (pid === 0) return false; // signal 0 to pid 0 would test our own process group
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'ESRCH'; // EPERM: the process exists and belongs to another user
  }
}

/** Not the machine id, which cloned images share: a lock of a live process on another machine would be broken. */
function currentPlace(): string {
  let name = `host ${hostname()}`;
  if (process.platform === 'linux') {
    try {
      name = `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')} ${readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // Without /proc, the host name is the best there is.
    }
  }
  return digest(name).slice(0, 12);
}
