import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variable with the folder of the run's shared bundles: a larger program takes half a second to build. */
export const BUNDLES = 'PLUGBOARD_TEST_BUNDLES';

export function setup(): void {
  process.env[BUNDLES] = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bundles-')));
}

export function teardown(): void {
  rmSync(process.env[BUNDLES]!, { recursive: true, force: true });
}
