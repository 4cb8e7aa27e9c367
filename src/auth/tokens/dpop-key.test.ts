import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { DpopKey } from './dpop-key.js';
import { issuerAt, openScripted, signInTargetOf, TOKENS, worldOf } from '../protocol-fixtures.js';
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

/** The claims of a proof, after checking its signature as a server does. */
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

function requestOf(origin: string, dpop: DpopKey) {
  return {
    target: signInTargetOf(`${origin}/mcp`),
    issuer: issuerAt(origin),
    client: { clientId: 'me', origin: 'given' },
    resource: origin,
    scopes: [],
    dpop,
  } as const;
}

test.each([400, 401])('a token is bound to the key, after HTTP %i has said which nonce is wanted', async (status) => {
  const proofs: string[] = [];
  await using auth = await openScripted({
    '/token': ({ headers }, response) => {
      proofs.push(String(headers['dpop']));
      if (proofs.length === 1) response.writeHead(status, { 'dpop-nonce': 'n1' }).end('{"error":"use_dpop_nonce"}');
      else response.end(JSON.stringify({ ...TOKENS, token_type: 'DPoP' }));
    },
  });
  const request = requestOf(auth.origin, DpopKey.create());
  const world = worldOf(request.target);
  expect((await requestByClient(request, world)).type).toBe('DPoP');
  const [first, second] = proofs.map(read);
  expect([first?.['nonce'], second?.['nonce'], second?.['htu']]).toEqual([undefined, 'n1', `${auth.origin}/token`]);
  expect(first?.['jti']).not.toBe(second?.['jti']);
  auth.paths['/token'] = { json: TOKENS };
  await expect(requestByClient(request, world)).rejects.toThrow('where a DPoP token was asked for');
});

test('a server that always wants another nonce is asked twice and no more', async () => {
  const answer = { status: 400, headers: { 'dpop-nonce': 'n' }, body: '{"error":"use_dpop_nonce"}' };
  await using auth = await openScripted({ '/token': answer });
  const request = requestOf(auth.origin, DpopKey.create());
  await expect(requestByClient(request, worldOf(request.target))).rejects.toMatchObject({ code: 'sign-in-failed' });
  expect(auth.received).toHaveLength(2);
});
