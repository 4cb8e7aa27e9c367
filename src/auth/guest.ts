import { HostError } from '../base/errors.js';
import { nameWord } from '../base/shell-word.js';
import type { Renewal } from '../model/credentials.js';
import type { CredentialRecord } from './store/credential-record.js';
import { loginHint } from './flows/login-hint.js';
import type { SignInTarget } from './sign-in-target.js';

/** Who brought a sign-in, where that was an entry of the user's own. */
const USER = 'user';

/** Whether an entry may use a sign-in. Those of the user share by address; of a repository's it depends on who signed in, and on what was approved. */
export function mayUse({ guest }: SignInTarget, { by }: Pick<CredentialRecord, 'by'>): boolean {
  if (!guest || by === guest.id) return true;
  const seen = guest.sees();
  return seen === 'all' || (seen === 'old' && by === undefined);
}

/** Who has signed in. A sign-in that takes the place of one from before that was written down stays open to whom it was open to. */
export function signedInBy({ guest }: SignInTarget, before: CredentialRecord | undefined): string | undefined {
  return before && before.by === undefined ? undefined : (guest?.id ?? USER);
}

/** There is a sign-in, and it is not for this entry. */
export function notForGuests({ name, url }: SignInTarget): Renewal {
  const { host } = new URL(url);
  const text = `your sign-in to ${host} was made through another entry, and nobody has agreed that it is sent for this one of a project file`;
  const hint = `${loginHint(name)}, or agree to it: plugboard approve ${nameWord(name)}`;
  return { kind: 'sign-in', hint, cause: new HostError('unauthorized', text) };
}
