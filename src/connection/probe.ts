import { HostError } from '../base/errors.js';
import type { Connection } from './connect.js';

/** Checks that a server responds, one check at a time. Resolves to the error if it does not. Never rejects. */
export function prober(): (connection: Connection) => Promise<HostError | undefined> {
  let isAsking = false;
  return async ({ session }) => {
    if (isAsking) return undefined;
    isAsking = true;
    try {
      // The modern era has no ping.
      await session.request(session.era === 'legacy' ? 'ping' : 'server/discover', undefined, { timeoutMs: PROBE_MS });
      return undefined;
    } catch (cause) {
      return cause instanceof HostError ? cause : undefined;
    } finally {
      isAsking = false;
    }
  };
}

const PROBE_MS = 10_000;
