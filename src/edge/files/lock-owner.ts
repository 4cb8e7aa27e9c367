import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { digest } from './digest.js';
import { readStat } from '../processes/process-stat.js';
import { errorCodeOf } from './write-error.js';
import { randomHex } from '../random-hex.js';

/** Who made a lock or a temporary file, readable from its name alone, so that nothing has to be written into it. */
export interface LockOwner {
  readonly id: string;
  readonly pid: number;
  /** When the process started, in ticks since boot; '0' where the system does not tell. A pid alone is used again. */
  readonly started: string;
  /** The kernel and pid namespace in which the pid means something. */
  readonly place: string;
}

/** A name nobody had before: two locks of one process have two owners. */
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

/** What became of an owner. `unknown`: another machine or container, or a system that does not tell start times. */
export function fateOf(owner: LockOwner, self: LockOwner): 'running' | 'gone' | 'unknown' {
  if (owner.place !== self.place) return 'unknown';
  if (!isRunning(owner.pid)) return 'gone';
  const found = readStat(owner.pid);
  if (!found || found.started === '0' || owner.started === '0') return 'unknown';
  // A killed process that nobody has waited for keeps its pid, in a container without init for ever.
  if (found.dead) return 'gone';
  return found.started === owner.started ? 'running' : 'gone';
}

export function isRunning(pid: number): boolean {
  if (pid === 0) return false; // signal 0 to pid 0 asks about our own process group
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'ESRCH'; // EPERM: it is there and somebody else's
  }
}

/**
 * The boot id and not the machine id: cloned images share the latter, and taking a live process of another machine
 * for a dead one of ours would break its lock.
 */
function currentPlace(): string {
  let name = `host ${hostname()}`;
  if (process.platform === 'linux') {
    try {
      name = `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')} ${readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // without /proc the host's name has to do
    }
  }
  return digest(name).slice(0, 12);
}
