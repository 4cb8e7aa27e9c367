import { HostError } from '../base/errors.js';
import type { Link } from './connect.js';

/** Asks a server for a sign of life: why it gave none, if so. Never rejects. */
export async function probe({ session }: Link): Promise<HostError | undefined> {
  try {
    await session.request('ping', undefined, { timeoutMs: PROBE_MS });
    return undefined;
  } catch (cause) {
    return cause instanceof HostError ? cause : undefined;
  }
}

const PROBE_MS = 10_000;
