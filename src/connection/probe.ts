import { HostError } from '../base/errors.js';
import type { Connection } from './connect.js';

/** Asks a server for a sign of life, once at a time: why it gave none, if so. Never rejects. */
export function prober(): (link: Connection) => Promise<HostError | undefined> {
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
