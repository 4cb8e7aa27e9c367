import type { Clock } from '../model/clock.js';
import { userlessGrant } from '../model/oauth-settings.js';
import type { OAuthContext } from './oauth-context.js';
import type { CredentialStore, RecordKey } from './store/credential-store.js';
import type { SignInTarget } from './sign-in-target.js';

/** What all sign-ins of one host share. */
export interface SignInServices {
  readonly store: CredentialStore;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** A message for the user, without secrets; each text once. */
  readonly onProblem: (text: string) => void;
  worldFor(target: SignInTarget, signal?: AbortSignal): OAuthContext;
}

export function recordKeyOf({ url, account, settings }: SignInTarget): RecordKey {
  return { server: url, account, clientId: settings.clientId, grant: userlessGrant(settings) };
}
