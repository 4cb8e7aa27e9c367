import { HostError, type HostErrorOptions } from '../base/errors.js';

/** What somebody typed cannot be done as it stands. */
export function usageError(message: string, options: HostErrorOptions = {}): HostError {
  return new HostError('usage', `error: ${message}`, options);
}
