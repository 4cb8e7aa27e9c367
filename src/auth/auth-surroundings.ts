import type { Clock } from '../model/clock.js';
import type { AuthWorld } from './auth-world.js';
import type { CredentialStore, RecordKey } from './credential-store.js';
import type { SignInTarget } from './sign-in-target.js';

/** What all sign-ins of one host share. */
export interface AuthSurroundings {
  readonly store: CredentialStore;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** For a person to read; each text once. */
  readonly onProblem: (text: string) => void;
  worldFor(target: SignInTarget, signal?: AbortSignal): AuthWorld;
}

export function recordKeyOf({ url, account, settings }: SignInTarget): RecordKey {
  const { clientId, grant, xaa } = settings;
  const isSilent = grant === 'client_credentials' || grant === 'jwt_bearer';
  return { server: url, account, clientId, grant: xaa === true ? 'xaa' : isSilent ? grant : undefined };
}
