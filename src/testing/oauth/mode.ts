import { type Count, exactly, type SignInWanted } from '../expectation.js';
import type { HttpMode } from '../mode.js';
import { type SignInWrongs, wantsSignIn } from './sign-in-server.js';

/** What a host does that signs in as it should, once. */
export const ORDERLY: readonly Count[] = [
  exactly('authorize', 1),
  exactly('token authorization_code', 1),
  ...['without PKCE', 'without state', 'wrong resource', 'reused refresh token', 'with a bad token'].map((what) =>
    exactly(what, 0),
  ),
];

/** A server that wants a sign-in, with this about it that is wrong. */
export function wants(
  name: string,
  summary: string,
  expect: SignInWanted,
  wrongs: SignInWrongs | (() => SignInWrongs) = {},
): HttpMode {
  const behave = (): ReturnType<HttpMode['behave']> => wantsSignIn(typeof wrongs === 'function' ? wrongs() : wrongs);
  return { name, channel: 'http', summary, expect, behave };
}
