import { HostError, type HostErrorOptions } from '../base/errors.js';

/** An error for input that cannot be run as typed. */
export function usageError(message: string, options: HostErrorOptions = {}): HostError {
  return new HostError('usage', message, options);
}
