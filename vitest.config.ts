import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One more than there are cores, because half of what the tests do is to wait. The long versions measure stalls, and are left alone.
    ...(!process.env['PLUGBOARD_FULL'] && { maxWorkers: availableParallelism() + 1 }),
    testTimeout: process.env['PLUGBOARD_FULL'] ? 600_000 : 60_000,
  },
});
