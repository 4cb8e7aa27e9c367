import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { SessionStore } from './session-store.js';
import { userItem } from './store-fixtures.js';

/** Mounts a tmpfs of 128 kB; skips the test where mounting is not allowed. */
function mountDisk(context: TestContext): string {
  const disk = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-disk-')));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', disk]);
    rmdirSync(disk);
  });
  return disk;
}

test('a disk that fills up ends the keeping with one note, and what was kept before can be read', async (context) => {
  const state = mountDisk(context);
  const failures: string[] = [];
  const store = new SessionStore({
    state,
    cwd: '/work',
    now: () => new Date(),
    onFailure: (reason) => failures.push(reason),
  });
  await store.prepare();
  const journal = store.create();
  for (let turn = 0; turn < 200; turn++) journal.add(userItem('x'.repeat(2_000)));
  expect(failures).toEqual([expect.stringContaining('the disk is full (ENOSPC)')]);
  const { items } = store.read(journal.id);
  expect(items.length).toBeGreaterThan(10);
  // On a disk that is full from the beginning no session is kept.
  expect(() => writeFileSync(join(state, 'rest'), 'x'.repeat(200_000))).toThrow(/ENOSPC/u);
  expect(store.create().path).toBeUndefined();
  expect(failures).toHaveLength(2);
  expect(store.list()).toHaveLength(1);
});
