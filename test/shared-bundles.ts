import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the workers of a run find what one of them has bundled: each of the larger programs costs half a second to make. */
export const BUNDLES = 'PLUGBOARD_TEST_BUNDLES';

/** Before all tests of a run; returns what comes after them. */
export default function setUp(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bundles-')));
  process.env[BUNDLES] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
