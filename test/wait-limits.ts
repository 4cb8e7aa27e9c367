import { HANG_GUARD_MS } from './hang-guard.js';

/** How long `expect.poll` and `vi.waitFor` wait for something that has to come. */
export const DIAGNOSED = { timeout: HANG_GUARD_MS, interval: 5 };
