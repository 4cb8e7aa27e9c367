import { HostError } from '../base/errors.js';
import { parseChallenge } from '../model/challenge.js';
import type { Credentials, CredentialsRefusal, Renewal } from '../model/credentials.js';

/**
 * How the server refused the credentials; undefined when the error has another cause. Decided by the error code, not by
 * the status alone: a server that refuses to resume a response stream has accepted the call and may have run it.
 */
export function toCredentialsRefusal(error: unknown, { renewsAt }: Credentials): CredentialsRefusal | undefined {
  if (!(error instanceof HostError) || error.code !== 'unauthorized' || error.detail?.kind !== 'http') return undefined;
  const { status, challenge, nonce } = error.detail;
  return renewsAt.includes(status) ? { status, challenge, nonce } : undefined;
}

/** Why credentials were refused. Renewing them is tried once for each reason. */
export type Reason = number | 'nonce';

export function refusalReasonOf({ status, challenge }: CredentialsRefusal): Reason {
  return parseChallenge(challenge).error === 'use_dpop_nonce' ? 'nonce' : status;
}

/** Replaces the hint of a refusal with the one that `Credentials` gives, which knows the remedy. */
export function withHint<Failure>(error: Failure, renewal: Renewal | undefined): Failure | HostError {
  if (renewal?.kind === 'failed') return renewal.error;
  if (renewal?.kind !== 'sign-in' || !(error instanceof HostError)) return error;
  const { code, message, detail } = error;
  const why = renewal.cause ? `${message}; ${renewal.cause.message}` : message;
  return new HostError(code, why, { hint: renewal.hint, cause: error, detail });
}

/** `Credentials.renew` must not reject. If it does, only this request fails, not the program. */
export function toInternalError(cause: unknown): Renewal {
  const message = 'The credentials for the server could not be renewed because of a bug in Plugboard';
  return {
    kind: 'failed',
    error: new HostError('internal', message, { cause, detail: { kind: 'oauth', isTransient: true } }),
  };
}
