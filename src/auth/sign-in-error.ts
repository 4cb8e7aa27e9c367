import { HostError } from '../base/errors.js';
import { signInFailure } from './oauth-error.js';

/** Converts what was thrown while getting tokens to an error that says whether it is transient. */
export function toSignInError(error: unknown, name: string): HostError {
  if (!(error instanceof HostError)) {
    // A bug of ours must not cost the user the sign-in, so it counts as transient.
    return new HostError('internal', `Signing in to "${name}" failed because of a bug in Plugboard`, {
      cause: error,
      detail: { kind: 'oauth', isTransient: true },
    });
  }
  if (error.detail?.kind === 'oauth' || !PASSING.has(error.code)) return error;
  return signInFailure(error.message, { hint: error.hint, cause: error, isTransient: true });
}

/** Failures of the network, the disk or a lock, which may be gone a moment later. */
const PASSING: ReadonlySet<string> = new Set([
  'fetch-failed',
  'connect-failed',
  'connect-timeout',
  'connection-closed',
  'http-failed',
  'lock-timeout',
  'write-failed',
  'cancelled',
  'answer-too-large',
]);
