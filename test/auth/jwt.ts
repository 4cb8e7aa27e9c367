// The parts of JSON Web Signature and JSON Web Token that tests check: https://www.rfc-editor.org/rfc/rfc7519
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

export interface ReadJwt {
  readonly header: Claims;
  readonly claims: Claims;
}

/** Header and claims of an ES256 token; undefined when the key did not sign it. `keyOf` finds the key by the header. */
export function readJwt(token: string, keyOf: (header: Claims) => JsonWebKey | undefined): ReadJwt | undefined {
  const [head = '', body = '', signature = ''] = token.split('.');
  try {
    const header = decode(head);
    const key = keyOf(header);
    if (header['alg'] !== 'ES256' || !key) return undefined;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    return isSigned ? { header, claims: decode(body) } : undefined;
  } catch {
    return undefined; // not a token
  }
}

/** The thumbprint of an elliptic-curve key: https://www.rfc-editor.org/rfc/rfc7638 */
export function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function decode(part: string): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Claims;
}
