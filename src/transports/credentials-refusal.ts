import { HostError } from '../base/errors.js';
import { parseChallenge } from '../model/challenge.js';
import type { Credentials, CredentialsRefusal, Renewal } from '../model/credentials.js';

/**
 * How the server said no to who we are; undefined when it is about something else. By the code, and not by the status alone: a
 * server that does not let us pick up the answer to a call has taken the call, and may have done it.
 */
export function toCredentialsRefusal(error: unknown, { renewsAt }: Credentials): CredentialsRefusal | undefined {
  if (!(error instanceof HostError) || error.code !== 'unauthorized' || error.detail?.kind !== 'http') return undefined;
  const { status, challenge, nonce } = error.detail;
  return renewsAt.includes(status) ? { status, challenge, nonce } : undefined;
}

/** What a refusal is about. Something else to say helps once against each. */
export type Reason = number | 'nonce';

export function refusalReasonOf({ status, challenge }: CredentialsRefusal): Reason {
  return parseChallenge(challenge).error === 'use_dpop_nonce' ? 'nonce' : status;
}

/** What can be done about it is known to whoever keeps the credentials. */
export function withHint<Failure>(error: Failure, renewal: Renewal | undefined): Failure | HostError {
  if (renewal?.kind === 'failed') return renewal.error;
  if (renewal?.kind !== 'sign-in' || !(error instanceof HostError)) return error;
  const { code, message, detail } = error;
  const why = renewal.cause ? `${message}; ${renewal.cause.message}` : message;
  return new HostError(code, why, { hint: renewal.hint, cause: error, detail });
}

/** Whoever keeps the credentials must not fail so. It costs one request, and not the program. */
export function toInternalError(cause: unknown): Renewal {
  const message = 'Who we are to the server could not be found out because of a mistake in Plugboard';
  return {
    kind: 'failed',
    error: new HostError('internal', message, { cause, detail: { kind: 'oauth', isTransient: true } }),
  };
}
