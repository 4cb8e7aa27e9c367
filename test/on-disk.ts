import { tmpdir } from 'node:os';
import { afterAll, beforeAll, vi } from 'vitest';
import { DISK } from './memory-folder.js';

/** The temporary folders of the tests of this file lie on the disk: in a sandbox, and to those who ask for one, /dev is not to be had. */
export function onDisk(): void {
  const disk = process.env[DISK];
  if (disk === undefined) return;
  const memory = tmpdir();
  beforeAll(() => void vi.stubEnv('TMPDIR', disk));
  afterAll(() => void vi.stubEnv('TMPDIR', memory));
}
