// RFC 6750 section 2.1, https://www.rfc-editor.org/rfc/rfc6750#section-2.1; RFC 9449 section 7.1, https://www.rfc-editor.org/rfc/rfc9449#section-7.1
import { Secret } from '../../base/secret.js';
import type { RequestCredentials } from '../../model/credentials.js';
import type { CredentialRecord, TokenSet } from '../store/credential-record.js';
import { DpopKey } from './dpop-key.js';

export type SignedIn = CredentialRecord & { readonly tokens: TokenSet };

export function isSignedIn(record: CredentialRecord | undefined): record is SignedIn {
  return record?.tokens !== undefined;
}

export function headerOf({ type, accessToken }: TokenSet): string {
  return `${type} ${accessToken.reveal()}`;
}

/** Puts tokens into headers. The same tokens give the same object, so that callers can see a change. */
export class TokenHeaders {
  /** The nonce that the server demands in proofs. */
  #nonce: string | undefined;
  #latest:
    | { readonly header: string; readonly key: string | undefined; readonly credentials: RequestCredentials }
    | undefined;

  /** For the same tokens the `isFresh` of the first call is kept. */
  present({ tokens, dpopKey }: SignedIn, isFresh?: () => boolean): RequestCredentials {
    const header = headerOf(tokens);
    const key = tokens.type === 'DPoP' ? dpopKey?.reveal() : undefined;
    if (this.#latest?.header === header && this.#latest.key === key) return this.#latest.credentials;
    const headers = { authorization: new Secret(header) };
    const prove = key === undefined ? undefined : this.#prover(new Secret(key), tokens.accessToken);
    const credentials: RequestCredentials = { headers, ...(prove && { prove }), ...(isFresh && { isFresh }) };
    this.#latest = { header, key, credentials };
    return credentials;
  }

  /** Puts the nonce into all later proofs; ignores an invalid one. */
  useNonce(nonce: string): void {
    if (nonce === this.#nonce || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce)) return;
    this.#nonce = nonce;
    this.#latest = undefined;
  }

  #prover(secret: Secret, accessToken: Secret): RequestCredentials['prove'] {
    let key: DpopKey | undefined;
    const nonce = this.#nonce;
    return ({ method, url }) => {
      try {
        key ??= DpopKey.restore(secret);
        return ['dpop', key.prove({ method, url, accessToken, nonce })];
      } catch {
        return []; // a damaged key: the server refuses, and another sign-in makes a new one
      }
    };
  }
}
