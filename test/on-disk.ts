import { tmpdir } from 'node:os';
import { afterAll, beforeAll, vi } from 'vitest';
import { DISK } from './memory-folder.js';

/** Puts the temporary folders of this test file on disk, because /dev/shm is not reachable from inside a sandbox. */
export function onDisk(): void {
  const disk = process.env[DISK];
  if (disk === undefined) return;
  const memory = tmpdir();
  beforeAll(() => void vi.stubEnv('TMPDIR', disk));
  afterAll(() => void vi.stubEnv('TMPDIR', memory));
}
