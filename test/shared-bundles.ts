import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the workers of a run find what one of them has bundled: each of the larger programs costs half a second to make. */
export const BUNDLES = 'PLUGBOARD_TEST_BUNDLES';

/** Before all tests of a run. */
export function setup(): void {
  process.env[BUNDLES] = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bundles-')));
}

/** After them. */
export function teardown(): void {
  rmSync(process.env[BUNDLES]!, { recursive: true, force: true });
}
