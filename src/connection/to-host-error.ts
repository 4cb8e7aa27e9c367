import { HostError } from '../base/errors.js';

/** What was thrown, by name. `what`: begins the sentence where it has none, because it is a mistake of ours. */
export function toHostError(cause: unknown, what: string): HostError {
  if (cause instanceof HostError) return cause;
  return new HostError('internal', `${what}: ${String(cause)}`, { cause });
}
