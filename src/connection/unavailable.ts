import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import { parseChallenge } from '../model/challenge.js';
import type { DisabledReason, ServerStatus } from '../model/status.js';

/** A status in which the server cannot be called, and will not recover by itself. */
export type UnavailableStatus = ServerStatus & { readonly kind: 'disabled' | 'needs-auth' | 'failed' };

/** Why the server cannot be called. */
export function toUnavailableError(name: string, status: UnavailableStatus): HostError {
  if (status.kind !== 'disabled') return status.error;
  return new HostError(CODES[status.reason], `Server "${name}" is ${WORDS[status.reason]}`, {
    hint: hintOf(name, status.reason),
  });
}

function hintOf(name: string, reason: DisabledReason): string {
  if (reason === 'unapproved') return `plugboard approve ${nameWord(name)}`;
  return reason === 'untrusted' ? 'plugboard trust' : `plugboard get ${nameWord(name)}`;
}

/** Whether the server requires a sign-in: 401. A 403 refuses only the request. */
export function isSignIn({ code, detail }: HostError): boolean {
  return code === 'unauthorized' && !(detail?.kind === 'http' && detail.status === 403);
}

/** Whether the server knows the user but requires more scopes, which another sign-in can grant. */
export function needsMoreScopes({ code, detail }: HostError): boolean {
  const isDenied = code === 'unauthorized' && detail?.kind === 'http' && detail.status === 403;
  return isDenied && parseChallenge(detail.challenge).error === 'insufficient_scope';
}

const WORDS: Readonly<Record<DisabledReason, string>> = {
  user: 'disabled',
  unapproved: 'not approved',
  untrusted: 'not started: it needs this folder, which is not trusted',
  policy: 'denied by policy',
  invalid: 'not started: its entry is invalid',
  duplicate: 'suppressed: another definition of it runs',
};

const CODES = {
  user: 'disabled',
  unapproved: 'not-approved',
  untrusted: 'folder-untrusted',
  policy: 'policy-denied',
  invalid: 'config-invalid',
  duplicate: 'disabled',
} as const;
