import type { HostError } from '../base/errors.js';

/** Options of `host.signIn`. */
export interface SignInOptions {
  /** `device`: the user types a code on another machine. Default: as the entry says. */
  readonly way?: 'browser' | 'device' | undefined;
  /** Scopes to request besides those that the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** The WWW-Authenticate header of the latest refusal. */
  readonly challenge?: string | undefined;
  /** Cancels the sign-in at any stage. */
  readonly signal?: AbortSignal | undefined;
}

/** A sign-in that has begun. */
export type SignIn =
  /** `done`: signed in without the user. */
  { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: HostError } | BrowserSignIn | DeviceSignIn;

/** What both ways of signing in have. */
export interface OpenSignIn {
  /** Has passed the URL gate; safe to pass to a program as one argument, and to show in full. */
  readonly url: string;
  /** The host of `url`, to be shown. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Never rejects. */
  readonly done: Promise<SignInEnd>;
  /** Ends the sign-in: `done` becomes `cancelled`. Does nothing after the end. */
  cancel(): void;
}

/** The user has to visit a page, which redirects to a callback on this machine. */
export interface BrowserSignIn extends OpenSignIn {
  readonly kind: 'browser';
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** For a browser on another machine: the address that it ended at, as pasted. Undefined: accepted. */
  submit(address: string): Promise<HostError | undefined>;
}

/** The user has to type a code at a page, on any machine (RFC 8628). */
export interface DeviceSignIn extends OpenSignIn {
  readonly kind: 'device';
  /** The code that the user types at `url`, as the authorization server wrote it. */
  readonly userCode: string;
  /** The same page with the code in its URL, where the server has one. */
  readonly completeUrl?: string | undefined;
}

/** How a sign-in ended. */
export type SignInEnd =
  /** `warning`: the user is signed in, but the tokens could not be saved. */
  | { readonly kind: 'signed-in'; readonly warning?: string | undefined }
  | { readonly kind: 'failed'; readonly error: HostError }
  | { readonly kind: 'cancelled' };
