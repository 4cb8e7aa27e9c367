import { HANG_GUARD_MS } from './hang-guard.js';

/** Options of `expect.poll` and `vi.waitFor` for what must come. */
export const DIAGNOSED = { timeout: HANG_GUARD_MS, interval: 5 };
