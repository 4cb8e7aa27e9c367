import type { SessionHooks } from '../model/hooks/session-hooks.js';

/** The hooks of a session where there are none. */
export const noSessionHooks: SessionHooks = {
  has: () => false,
  promptSubmitted: async () => ({ kind: 'go', context: [] }),
  started: async () => ({ context: [] }),
  ended: async () => undefined,
  stopping: async () => ({ kind: 'end' }),
  compacting: async () => ({ kind: 'go' }),
  compacted: async () => undefined,
};
