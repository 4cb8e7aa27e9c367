import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'plugboard-test-';
/** A file system in memory on Linux. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3; // more than all tests together use at one time
/** Variable that holds the temporary folder on disk while TMPDIR is in memory. */
export const DISK = 'PLUGBOARD_TEST_DISK';

/**
 * Runs before all tests: puts temporary folders into memory if there is room. Tests make and remove thousands, and on a
 * disk each costs five times as much. The long versions of the tests stay on disk, as users do.
 */
export function setup(): void {
  if (process.env['PLUGBOARD_FULL'] !== undefined) return;
  const folder = makeFolder();
  if (folder === undefined) return;
  process.env[DISK] = tmpdir();
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  if (process.env[DISK] !== undefined) rmSync(tmpdir(), { recursive: true, force: true });
}

/** undefined without such a file system, with little room, or where files may not be executed (many containers). */
function makeFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.platform !== 'linux' || bavail * bsize < ROOM_BYTES) return undefined;
    removeLeftovers();
    const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
    chmodSync(folder, 0o1777); // like /tmp: some tests run a process of another user
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\nexit 7\n', { mode: 0o700 });
    if (spawnSync(script).status === 7) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // not writable
  }
  return undefined;
}

/** Removes the folders of runs that were killed, which would otherwise keep their memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(PREFIX))) {
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
