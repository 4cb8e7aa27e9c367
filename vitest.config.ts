import { register } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const HANGING_MS = 600_000;

/** The longest tests, longest first: one that starts last would keep a worker busy while the others are idle. */
const LONGEST = [
  'test/host/big-lists.test.ts',
  'test/docs/pages.test.ts',
  'test/agent-sdk/agent-sdk.test.ts',
  'test/hostile/table-remote.test.ts',
  'test/gateway/clients/comparisons.test.ts',
  'test/host/many-servers.test.ts',
  'test/contract/ours-modern.test.ts',
  'test/hostile/table.test.ts',
  'test/gateway/task-clients.test.ts',
  'test/emit/emit.test.ts',
  'test/hostile/table-sign-in.test.ts',
  'test/program/session-terminal.test.ts',
  'test/faults/network.test.ts',
  'test/calls/hook-failures.test.ts',
  'src/edge/processes/process-tree.test.ts',
  'src/wire/message-reader.test.ts',
  'src/model/flow/hostile-inputs.test.ts',
  'test/gateway/clients/questions.test.ts',
  'test/program/process.test.ts',
  'test/contract/oracle-modern.test.ts',
  'src/edge/sandbox/sandbox-keys.test.ts',
  'test/contract/sdk-server-modern.test.ts',
  'src/testing/replay/replay.test.ts',
  'test/examples/examples.test.ts',
  'test/program/demo-terminal.test.ts',
  'test/real-servers/real-servers.test.ts',
  'test/eras/sdk.test.ts',
  'test/program/folder-trust-attacks.test.ts',
  'test/program/session-terminal-servers.test.ts',
  'test/breadth/stdio.test.ts',
  'test/offers/model-skills.test.ts',
  'test/consumers/consumers.test.ts',
  'src/transports/http/http-pipe.test.ts',
  'test/real-servers/host-calls.test.ts',
  'test/program/first-run-terminal.test.ts',
  'test/readme.test.ts',
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

/**
 * Node itself imports source and tests, as these hooks compile them. Vite's module runner asks the main process for each
 * module of each worker, and makes a getter of each import, which scanners that look at every byte are slow with.
 */
const LOADER = new URL('test/typescript/', import.meta.url);
register('./hooks.mjs', LOADER); // the global setup runs in this process

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/shared-bundles.ts', 'test/memory-folder.ts'],
    setupFiles: ['test/open-hosts.ts'],
    sequence: { sequencer: LongestFirst },
    execArgv: ['--import', new URL('register.mjs', LOADER).href],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // No module keeps state, so the files of a worker may share modules: a process and an import for each file would
    // cost as much as the tests. A test restores what belongs to the process: clocks, variables, the console. The long
    // versions measure stalls and memory, so each of their files has a process of its own.
    isolate: FULL,
    // Twice the number of cores: tests mostly wait for processes and sockets, and do not depend on the machine's speed.
    ...(!FULL && { maxWorkers: 2 * availableParallelism() }),
    // Tests do not touch the user's keychain.
    env: { PLUGBOARD_KEYCHAIN: 'off' },
    // Only against hanging: ten times what the slowest test takes on a busy machine.
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
    teardownTimeout: HANGING_MS,
    expect: { poll: { timeout: HANGING_MS / 2, interval: 10 } },
  },
});
