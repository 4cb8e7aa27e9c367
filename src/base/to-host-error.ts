import type { ErrorCode } from './error-codes.js';
import { HostError } from './errors.js';
import { thrownText } from './thrown-text.js';

export interface ToHostErrorOptions {
  readonly code?: ErrorCode;
  readonly hint?: string;
  /** Follows `what` after a colon; by default the thrown value as text. An empty one is left out. */
  readonly reason?: string;
}

/** A HostError as it is. Anything else, a bug of ours, becomes one that begins with `what` and has the cause. */
export function toHostError(cause: unknown, what: string, options: ToHostErrorOptions = {}): HostError {
  if (isHostError(cause)) return cause;
  const { code = 'internal', hint, reason = thrownText(cause) } = options;
  return new HostError(code, reason === '' ? what : `${what}: ${reason}`, { hint, cause });
}

/** `instanceof` itself throws for a revoked Proxy. */
function isHostError(cause: unknown): cause is HostError {
  try {
    return cause instanceof HostError;
  } catch {
    return false;
  }
}
