import { Secret } from '../base/secret.js';
import type { Credentials, RequestCredentials } from './credentials.js';

/** The token of an account, which may be replaced later. Contract: neither method rejects. */
export interface Account {
  /** The current token; undefined when the account has none. */
  token(): Promise<Secret | undefined>;
  /** A token other than the refused one; undefined when there is none. */
  renew(refused: Secret): Promise<Secret | undefined>;
}

/** The account's token as bearer credentials of a server. `hint`: what a person can do when the token is refused. */
export function accountCredentials(account: Account, hint: string): Credentials {
  return {
    hint,
    renewsAt: [401],
    async present() {
      const token = await account.token();
      return token && bearer(token);
    },
    async renew(refused) {
      const sent = refused && tokenOf(refused);
      const token = await (sent ? account.renew(sent) : account.token());
      const isOther = token !== undefined && token.reveal() !== sent?.reveal();
      return isOther ? { kind: 'renewed', presented: bearer(token) } : { kind: 'sign-in', hint };
    },
  };
}

/** Bearer credentials (RFC 6750). */
export function bearer(token: Secret): RequestCredentials {
  return { headers: { authorization: new Secret(`${SCHEME}${token.reveal()}`) } };
}

function tokenOf({ headers }: RequestCredentials): Secret | undefined {
  const value = headers['authorization']?.reveal();
  return value?.startsWith(SCHEME) === true ? new Secret(value.slice(SCHEME.length)) : undefined;
}

const SCHEME = 'Bearer ';
