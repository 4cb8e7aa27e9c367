import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import type { Renewal } from '../model/credentials.js';
import type { CredentialRecord } from './store/credential-record.js';
import { loginHint } from './flows/login-hint.js';
import type { SignInTarget } from './sign-in-target.js';

/** `by` of a sign-in that was made through one of the user's own entries. */
const USER = 'user';

/** The user's entries may use any sign-in of their URL; a repository's only its own, or as approved. */
export function mayUse({ guest }: SignInTarget, { by }: Pick<CredentialRecord, 'by'>): boolean {
  if (!guest || by === guest.id) return true;
  const seen = guest.sharedSignIns();
  return seen === 'all' || (seen === 'old' && by === undefined);
}

/** `by` of a new record; stays undefined when it replaces an older record, so that the same entries may use it. */
export function signedInBy({ guest }: SignInTarget, before: CredentialRecord | undefined): string | undefined {
  return before && before.by === undefined ? undefined : (guest?.id ?? USER);
}

/** The result when there is a sign-in that this entry may not use. */
export function signInNotShared({ name, url }: SignInTarget): Renewal {
  const { host } = new URL(url);
  const text = `you signed in to ${host} through another entry, and have not agreed to use that sign-in for this entry of a project file`;
  const hint = `${loginHint(name)}, or agree to it: plugboard approve ${nameWord(name)}`;
  return { kind: 'sign-in', hint, cause: new HostError('unauthorized', text) };
}
