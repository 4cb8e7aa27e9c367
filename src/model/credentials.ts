import type { HostError } from '../base/errors.js';
import type { Secret } from '../base/secret.js';

/** Credentials as they are sent: with every request to this one server, to no other. */
export interface RequestCredentials {
  readonly headers: Readonly<Record<string, Secret>>;
  /** Headers for one request only (a proof of possession), names and values alternating. Contract: must not throw. */
  readonly prove?: ((request: ProvenRequest) => readonly string[]) | undefined;
  /** False: fetch newer credentials before the server refuses these. Called per request. Contract: must not throw. */
  readonly isFresh?: (() => boolean) | undefined;
}

export interface ProvenRequest {
  readonly method: string;
  /** Without query and fragment. */
  readonly url: string;
}

/** How a server refused a request because of its credentials. */
export interface CredentialsRefusal {
  /** The HTTP status: 401 or 403. */
  readonly status: number;
  /** The WWW-Authenticate header as it came, truncated; never shown. */
  readonly challenge?: string | undefined;
  /** The DPoP-Nonce header: the nonce that the next proof of possession must contain. */
  readonly nonce?: string | undefined;
}

/** What to do after a server has refused the credentials. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly presented: RequestCredentials }
  /** Only a person can help. `hint`: what to do. `cause`: why the old credentials are useless. */
  | { readonly kind: 'sign-in'; readonly hint: string; readonly cause?: HostError }
  /** A temporary failure: the credentials are still there, and no new sign-in is needed. */
  | { readonly kind: 'failed'; readonly error: HostError };

/** A source of credentials for one server. Contract: no method rejects, each stops waiting when the signal aborts. */
export interface Credentials {
  /** The current credentials; undefined when there are none. */
  present(signal?: AbortSignal): Promise<RequestCredentials | undefined>;
  /** Credentials other than the refused ones. `refused`: what was sent; undefined when the request carried none. */
  renew(refused: RequestCredentials | undefined, denial: CredentialsRefusal, signal?: AbortSignal): Promise<Renewal>;
  /** Why `present` returned undefined, where no request may be sent without credentials. */
  failure?(): HostError | undefined;
  /** The HTTP statuses that `renew` may help with. */
  readonly renewsAt: readonly number[];
  /** A person can sign in and nothing else helps: "needs sign-in" may be cached. False: no person can help. */
  readonly canSignIn?: boolean | undefined;
  /** What a person can do when the credentials are refused for good: best a command to paste. */
  readonly hint: string;
}

/** Whether a server would receive the same credentials. Proofs differ each time, so their functions are compared. */
export function isSameCredentials(a: RequestCredentials | undefined, b: RequestCredentials | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.prove !== b.prove) return false;
  const names = Object.keys(a.headers);
  if (names.length !== Object.keys(b.headers).length) return false;
  return names.every((name) => a.headers[name]?.reveal() === b.headers[name]?.reveal());
}
