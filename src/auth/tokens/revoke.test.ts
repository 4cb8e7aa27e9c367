import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import type { CredentialRecord } from '../store/credential-record.js';
import { issuerAt, openScripted, type Scripted, signInTargetOf, worldOf } from '../protocol-fixtures.js';
import { revokeTokens } from './revoke.js';

async function revoke(script: Scripted | undefined, more: Partial<CredentialRecord> = {}, timeoutMs?: number) {
  await using auth = await openScripted(script ? { '/revoke': script } : {});
  const target = signInTargetOf(`${auth.origin}/mcp`);
  const record: CredentialRecord = {
    server: target.url,
    account: '',
    revision: 1,
    issuer: issuerAt(auth.origin, script && { revocationEndpoint: `${auth.origin}/revoke` }),
    client: { clientId: 'me', origin: 'registered' },
    tokens: { accessToken: new Secret('a'), refreshToken: new Secret('r'), type: 'Bearer', obtainedAt: 0 },
    resource: auth.origin,
    scopes: [],
    ...more,
  };
  const isRevoked = await revokeTokens(record, target, worldOf(target, timeoutMs === undefined ? {} : { timeoutMs }));
  return { isRevoked, forms: auth.received.map(({ form }) => Object.fromEntries(form)) };
}

test('both tokens are taken back, the one that lasts first', async () => {
  expect(await revoke({ status: 200 })).toEqual({
    isRevoked: true,
    forms: [
      { client_id: 'me', token: 'r', token_type_hint: 'refresh_token' },
      { client_id: 'me', token: 'a', token_type_hint: 'access_token' },
    ],
  });
});

test('a server that cannot take them back, or does not answer, holds nobody up', async () => {
  expect((await revoke(undefined)).isRevoked).toBe(false);
  expect((await revoke({ status: 503 })).isRevoked).toBe(false);
  expect((await revoke(() => undefined, {}, 50)).isRevoked).toBe(false);
  expect((await revoke({ status: 200 }, { tokens: undefined })).isRevoked).toBe(false);
});
