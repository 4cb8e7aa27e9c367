import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'plugboard-test-';
/** Linux has a file system in memory there. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3; // more than all tests together have at one time
/** Where temporary folders lie otherwise. */
export const DISK = 'PLUGBOARD_TEST_DISK';

/**
 * Before all tests of a run: their temporary folders lie in memory, where there is room for them. Thousands are made and removed, and on a disk
 * each costs five times as much. The long versions of the tests stay on the disk that users have.
 */
export function setup(): void {
  if (process.env['PLUGBOARD_FULL'] !== undefined) return;
  const folder = makeFolder();
  if (folder === undefined) return;
  process.env[DISK] = tmpdir();
  process.env['TMPDIR'] = folder;
}

/** After them. */
export function teardown(): void {
  if (process.env[DISK] !== undefined) rmSync(tmpdir(), { recursive: true, force: true });
}

/** Undefined where there is no such file system, or little room, or nothing there may be executed, as in many containers. */
function makeFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.platform !== 'linux' || bavail * bsize < ROOM_BYTES) return undefined;
    removeLeftovers();
    const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
    chmodSync(folder, 0o1777); // as the usual one: some tests run a process of another user
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\nexit 7\n', { mode: 0o700 });
    if (spawnSync(script).status === 7) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // nobody may write there
  }
  return undefined;
}

/** Of runs that were killed: memory that nobody else would give back. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY).filter((one) => one.startsWith(PREFIX))) {
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
