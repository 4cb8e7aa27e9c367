// https://www.rfc-editor.org/rfc/rfc9449
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  type webcrypto,
} from 'node:crypto';
import type { DPoPHandle } from 'oauth4webapi';
import { isObject } from '../../base/json.js';
import { Secret } from '../../base/secret.js';
import { randomHex } from '../../edge/random-hex.js';
import { signInFailure } from '../oauth-error.js';
import { loadOAuth } from '../oauth.js';

export interface Proof {
  readonly method: string;
  readonly url: string;
  readonly accessToken?: Secret | undefined;
  readonly nonce?: string | undefined;
}

/** A key that tokens are bound to: a stolen token is useless without the key. */
export class DpopKey {
  readonly #key: KeyObject;
  readonly #publicJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string };
  readonly #header: string;
  #handle: Promise<DPoPHandle> | undefined;

  private constructor(key: KeyObject) {
    const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' });
    this.#key = key;
    this.#publicJwk = { kty: String(kty), crv: String(crv), x: String(x), y: String(y) };
    this.#header = encoded({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.#publicJwk });
  }

  static create(): DpopKey {
    return new DpopKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  }

  /** Throws a HostError for anything but a P-256 key. */
  static restore(secret: Secret): DpopKey {
    try {
      const jwk: unknown = JSON.parse(secret.reveal());
      if (!isObject(jwk) || jwk['kty'] !== 'EC' || jwk['crv'] !== 'P-256') throw new Error('another kind of key');
      return new DpopKey(createPrivateKey({ key: jwk, format: 'jwk' }));
    } catch {
      // The parser's message would quote the key.
      throw signInFailure('The key that the tokens of this sign-in are bound to cannot be read', {
        hint: 'Sign in again: plugboard login',
      });
    }
  }

  /** The private JWK, as JSON. */
  get secret(): Secret {
    return new Secret(JSON.stringify(this.#key.export({ format: 'jwk' })));
  }

  /** The value of the DPoP header for one request; different each time. */
  prove({ method, url, accessToken, nonce }: Proof): string {
    const { origin, pathname } = new URL(url);
    const payload = encoded({
      jti: randomHex(16),
      htm: method.toUpperCase(),
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1000),
      ...(accessToken && { ath: createHash('sha256').update(accessToken.reveal()).digest('base64url') }),
      ...(nonce !== undefined && { nonce }),
    });
    const text = `${this.#header}.${payload}`;
    const signature = sign('sha256', Buffer.from(text), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** The key for token requests. The handle remembers the nonce that an authorization server demands. */
  handle(): Promise<DPoPHandle> {
    return (this.#handle ??= this.#open());
  }

  async #open(): Promise<DPoPHandle> {
    const { DPoP } = await loadOAuth();
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const { subtle } = globalThis.crypto;
    const privateJwk = this.#key.export({ format: 'jwk' }) as webcrypto.JsonWebKey;
    const keys = {
      privateKey: await subtle.importKey('jwk', privateJwk, algorithm, false, ['sign']),
      publicKey: await subtle.importKey('jwk', { ...this.#publicJwk }, algorithm, true, ['verify']),
    };
    return DPoP({}, keys);
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
