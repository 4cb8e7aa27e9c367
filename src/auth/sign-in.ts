import type { HostError } from '../base/errors.js';

export interface SignInOptions {
  /** `device`: by a code that is typed in on another machine. As the entry says, by default. */
  readonly way?: 'browser' | 'device' | undefined;
  /** Besides those that the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** The WWW-Authenticate header of the latest refusal. */
  readonly challenge?: string | undefined;
  /** Ends it, however far it has come. */
  readonly signal?: AbortSignal | undefined;
}

/** A sign-in that has begun. */
export type SignIn =
  /** Nobody had to be asked. */
  { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: HostError } | BrowserSignIn | DeviceSignIn;

interface OpenSignIn {
  /** Has passed the URL gate; to open as one argument, and to show in full. */
  readonly url: string;
  /** Of that page, to be shown. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Never rejects. */
  readonly done: Promise<SignInEnd>;
  cancel(): void;
}

/** Somebody has to visit a page, which leads back to a callback on this machine. */
export interface BrowserSignIn extends OpenSignIn {
  readonly kind: 'browser';
  /** The rights that are asked for. */
  readonly scopes: readonly string[];
  /** For a browser on another machine: the address that it ended at, as somebody copied it. Undefined: it was taken. */
  submit(address: string): Promise<HostError | undefined>;
}

/** Somebody has to type a code in at a page, on whichever machine (RFC 8628). */
export interface DeviceSignIn extends OpenSignIn {
  readonly kind: 'device';
  readonly userCode: string;
  /** The same page with the code in its address, where the server has one. */
  readonly completeUrl?: string | undefined;
}

export type SignInEnd =
  /** `warning`: what the user should know, though it went well: the tokens could not be written down. */
  | { readonly kind: 'signed-in'; readonly warning?: string | undefined }
  | { readonly kind: 'failed'; readonly error: HostError }
  | { readonly kind: 'cancelled' };
