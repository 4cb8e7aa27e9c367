import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { Secret } from '../base/secret.js';
import { DpopKey } from './dpop-key.js';
import { issuerOf, openScripted, targetOf, TOKENS, worldOf } from './protocol-fixtures.js';
import { requestByClient } from './token-requests.js';

const URL_OF = 'https://mcp.example/mcp?x=1#y';

interface ProofHeader {
  readonly typ: string;
  readonly alg: string;
  readonly jwk: JsonWebKey;
}

function headerOf(proof: string): ProofHeader {
  return JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString()) as ProofHeader;
}

const jwkOf = (key: DpopKey) => headerOf(key.prove({ method: 'GET', url: URL_OF })).jwk;

/** What a proof claims, after its signature has been checked as a server does. */
function read(proof: string): Record<string, unknown> {
  const [head, body, signature] = proof.split('.') as [string, string, string];
  const { typ, alg, jwk } = headerOf(proof);
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const isGood = verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  expect([typ, alg, isGood]).toEqual(['dpop+jwt', 'ES256', true]);
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
}

test('a proof is for one request, one token and one nonce, and each is another one', () => {
  const key = DpopKey.create();
  const accessToken = new Secret('token');
  const first = read(key.prove({ method: 'post', url: URL_OF, accessToken, nonce: 'n' }));
  const second = read(key.prove({ method: 'GET', url: URL_OF }));
  const ath = createHash('sha256').update('token').digest('base64url');
  expect(first).toMatchObject({ htm: 'POST', htu: 'https://mcp.example/mcp', ath, nonce: 'n' });
  expect(Object.keys(second).toSorted()).toEqual(['htm', 'htu', 'iat', 'jti']);
  expect(first['jti']).not.toBe(second['jti']);
});

test('a key is the same after it was kept, and shows nothing private', async () => {
  const key = DpopKey.create();
  const restored = DpopKey.restore(key.secret);
  expect(jwkOf(restored)).toEqual(jwkOf(key));
  expect(Object.keys(jwkOf(key)).toSorted()).toEqual(['crv', 'kty', 'x', 'y']);
  const { crv, kty, x, y } = jwkOf(key);
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  expect(await (await restored.handle()).calculateThumbprint()).toBe(thumbprint);
  expect(String(key.secret)).not.toContain('"d"');
});

test.each(['', '{}', 'nonsense', '{"kty":"RSA"}', '{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"c"}'])(
  'a key that was damaged (%s) is refused and not shown',
  (text) => {
    expect(() => DpopKey.restore(new Secret(text))).toThrow('cannot be read');
  },
);

test('a token is bound to the key, after the server has said which nonce it wants', async () => {
  const proofs: string[] = [];
  await using auth = await openScripted({
    '/token': ({ headers }, response) => {
      proofs.push(String(headers['dpop']));
      if (proofs.length === 1) response.writeHead(400, { 'dpop-nonce': 'n1' }).end('{"error":"use_dpop_nonce"}');
      else response.end(JSON.stringify({ ...TOKENS, token_type: 'DPoP' }));
    },
  });
  const target = targetOf(`${auth.origin}/mcp`);
  const dpop = DpopKey.create();
  const request = {
    target,
    issuer: issuerOf(auth.origin),
    client: { clientId: 'me', origin: 'given' },
    resource: auth.origin,
    scopes: [],
    dpop,
  } as const;
  expect((await requestByClient(request, worldOf(target))).type).toBe('DPoP');
  const [first, second] = proofs.map(read);
  expect([first?.['nonce'], second?.['nonce'], second?.['htu']]).toEqual([undefined, 'n1', `${auth.origin}/token`]);
  auth.paths['/token'] = { json: TOKENS };
  await expect(requestByClient(request, worldOf(target))).rejects.toThrow('where a DPoP token was asked for');
});
