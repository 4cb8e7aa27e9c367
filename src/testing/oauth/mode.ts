import { type Count, exactly, type SignInWanted } from '../expectation.js';
import type { HttpMode } from '../mode.js';
import { type SignInWrongs, wantsSignIn } from './sign-in-server.js';

/** The counts of a host that signs in correctly, once. */
export const ORDERLY: readonly Count[] = [
  exactly('authorize', 1),
  exactly('token authorization_code', 1),
  ...['without PKCE', 'without state', 'wrong resource', 'reused refresh token', 'with a bad token'].map((what) =>
    exactly(what, 0),
  ),
];

/** A server that wants a sign-in, with these faults. */
export function wants(
  name: string,
  summary: string,
  expect: SignInWanted,
  wrongs: SignInWrongs | (() => SignInWrongs) = {},
): HttpMode {
  const behave = (): ReturnType<HttpMode['behave']> => wantsSignIn(typeof wrongs === 'function' ? wrongs() : wrongs);
  return { name, channel: 'http', summary, expect, behave };
}
