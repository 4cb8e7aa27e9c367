import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import { parseChallenge } from '../model/challenge.js';
import type { DisabledReason, ServerStatus } from '../model/status.js';

/** A state in which nobody is there to call, and nobody will be by itself. */
export type UnavailableStatus = ServerStatus & { readonly kind: 'disabled' | 'needs-auth' | 'failed' };

/** Why there is nobody to call. */
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

/** Whether a server wants to know who asks: 401. A 403 is about what was asked for. */
export function isSignIn({ code, detail }: HostError): boolean {
  return code === 'unauthorized' && !(detail?.kind === 'http' && detail.status === 403);
}

/** Whether a server knows who asks, and wants them to have more rights: signing in once more gives those. */
export function needsMoreScopes({ code, detail }: HostError): boolean {
  const isDenied = code === 'unauthorized' && detail?.kind === 'http' && detail.status === 403;
  return isDenied && parseChallenge(detail.challenge).error === 'insufficient_scope';
}

const WORDS: Readonly<Record<DisabledReason, string>> = {
  user: 'disabled',
  unapproved: 'not approved',
  untrusted: 'not started: it needs this folder, which is not trusted',
  policy: 'denied by policy',
  duplicate: 'suppressed: another definition of it runs',
};

const CODES = {
  user: 'disabled',
  unapproved: 'not-approved',
  untrusted: 'folder-untrusted',
  policy: 'policy-denied',
  duplicate: 'disabled',
} as const;
