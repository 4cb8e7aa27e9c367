import { HostError } from '../base/errors.js';
import { signInFailure } from './oauth-error.js';

/** Whatever was thrown on the way to tokens, as an error that says whether it passes. */
export function toSignInError(error: unknown, name: string): HostError {
  if (!(error instanceof HostError)) {
    // A mistake of ours must not cost anybody their sign-in, so nothing is concluded from it.
    return new HostError('internal', `Signing in to "${name}" failed because of a mistake in Plugboard`, {
      cause: error,
      detail: { kind: 'oauth', isTransient: true },
    });
  }
  if (error.detail?.kind === 'oauth' || !PASSING.has(error.code)) return error;
  return signInFailure(error.message, { hint: error.hint, cause: error, isTransient: true });
}

/** What was to be expected of a network, a disk or a neighbour, and may be different a moment later. */
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
