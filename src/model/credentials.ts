import type { HostError } from '../base/errors.js';
import type { Secret } from '../base/secret.js';

/** What says who we are: it goes with every request to one server, and nowhere else. */
export interface RequestCredentials {
  /** Names of headers and their values. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Further headers that fit one request only, names and values in turn: a proof of possession. Contract: must not throw. */
  readonly prove?: ((request: ProvenRequest) => readonly string[]) | undefined;
  /** False: it is worth asking for something newer before it is refused. Asked with every request. Contract: must not throw. */
  readonly isFresh?: (() => boolean) | undefined;
}

export interface ProvenRequest {
  readonly method: string;
  /** Where it goes, without query and fragment. */
  readonly url: string;
}

/** How a server said no to what was presented. */
export interface CredentialsRefusal {
  readonly status: number;
  /** The WWW-Authenticate header as it came, cut; never shown. */
  readonly challenge?: string | undefined;
  /** What the server wants to see in the next proof of possession: its DPoP-Nonce header. */
  readonly nonce?: string | undefined;
}

/** What becomes of a denial. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly presented: RequestCredentials }
  /** Only a person can do something about it. `hint`: what. `cause`: why what there was is of no use any more. */
  | { readonly kind: 'sign-in'; readonly hint: string; readonly cause?: HostError }
  /** It could not be found out, because of something that passes: nothing is lost, and nobody has to sign in. */
  | { readonly kind: 'failed'; readonly error: HostError };

/** Who we are to one server. Contract: neither method rejects, and both let go when the signal aborts. */
export interface Credentials {
  /** As of now; undefined when there is nothing to say. */
  present(signal?: AbortSignal): Promise<RequestCredentials | undefined>;
  /** Something else than what was refused. `refused`: what was sent; undefined when that was nothing. */
  renew(refused: RequestCredentials | undefined, denial: CredentialsRefusal, signal?: AbortSignal): Promise<Renewal>;
  /** Why there is nothing to say, where nobody is to be asked without it. */
  failure?(): HostError | undefined;
  /** Which answers mean that it is worth asking for something else. */
  readonly renewsAt: readonly number[];
  /** A person can sign in, and nothing else will help: that is worth remembering for a while. False: there is no person. */
  readonly canSignIn?: boolean | undefined;
  /** What a person can do when all of it is refused: best a command to paste. */
  readonly hint: string;
}

/** Whether a server would see the same. A proof is another one each time, and says nothing about that. */
export function isSameCredentials(a: RequestCredentials | undefined, b: RequestCredentials | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.prove !== b.prove) return false;
  const names = Object.keys(a.headers);
  if (names.length !== Object.keys(b.headers).length) return false;
  return names.every((name) => a.headers[name]?.reveal() === b.headers[name]?.reveal());
}
