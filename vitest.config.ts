import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // On two cores vitest would use one. The long versions measure stalls, and are left alone.
    ...(!process.env['PLUGBOARD_FULL'] && { maxWorkers: Math.max(2, availableParallelism() - 1) }),
    // Nobody's real keychain is any business of a test.
    env: { PLUGBOARD_KEYCHAIN: 'off' },
    testTimeout: process.env['PLUGBOARD_FULL'] ? 600_000 : 60_000,
  },
});
