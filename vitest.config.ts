import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const HANGING_MS = 600_000;

/** What takes longest, longest first: begun last, each would keep one worker busy when the others have nothing left to do. */
const LONGEST = [
  'test/hostile/table-remote.test.ts',
  'test/hostile/table.test.ts',
  'test/readme.test.ts',
  'test/program/code-cache.test.ts',
  'test/program/folder-trust-attacks.test.ts',
  'test/program/sdk.test.ts',
  'test/program/process.test.ts',
  'test/contract/ours-modern.test.ts',
  'test/program/approve-folder.test.ts',
  'test/program/stderr-secrets.test.ts',
  'test/program/late-lists.test.ts',
  'test/program/session-terminal.test.ts',
  'test/contract/ours-legacy.test.ts',
  'test/faults/auth-refresh.test.ts',
  'src/wire/message-reader.test.ts',
  'test/breadth/stdio.test.ts',
  'test/faults/files.test.ts',
  'test/program/session-terminal-turns.test.ts',
  'test/program/doctor-remedies-live.test.ts',
  'test/program/hostile.test.ts',
  'test/real-servers/real-servers.test.ts',
  'test/contract/sdk-server-modern.test.ts',
  'test/program/session-terminal-servers.test.ts',
  'test/host/pending-catalogs.test.ts',
  'test/faults/network.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not of an array
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
  return at === -1 ? LONGEST.length : at;
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/shared-bundles.ts', 'test/memory-folder.ts'],
    sequence: { sequencer: LongestFirst },
    // No module keeps anything, so that the files of a worker may share them: a process and an import for each cost as much as the
    // tests. A test gives back what belongs to the process: clocks, variables, the console. The long versions measure stalls and
    // memory, and are left alone, each file in a process of its own.
    isolate: FULL,
    // Twice as many as there are cores: most tests wait for processes and sockets most of the time, and none minds how slow the machine is.
    ...(!FULL && { maxWorkers: 2 * availableParallelism() }),
    // Nobody's real keychain is any business of a test.
    env: { PLUGBOARD_KEYCHAIN: 'off' },
    // Guards against hanging, and nothing else: ten times what the slowest takes where much else runs.
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
    teardownTimeout: HANGING_MS,
    expect: { poll: { timeout: HANGING_MS / 2, interval: 10 } },
  },
});
