import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { signedIn } from '../../../test/auth/store-scene.js';
import { Secret } from '../../base/secret.js';
import type { CredentialRecord } from './credential-record.js';
import { parseRecord, toRecordText } from './record-json.js';

const record: CredentialRecord = { ...signedIn('one'), revision: 7, dpopKey: new Secret('{"kty":"EC"}') };

/** The stored form of `record`, for a test to change. */
const written = (): Record<string, unknown> => JSON.parse(toRecordText(record)) as Record<string, unknown>;

function checkRecord(text: string): CredentialRecord {
  const parsed = parseRecord(text);
  if (parsed.kind !== 'record') throw new Error(`it is ${inspect(parsed)}`);
  return parsed.record;
}

test('a record comes back as it was, secrets and all', () => {
  const text = toRecordText(record);
  const back = checkRecord(text);
  expect(JSON.parse(toRecordText(back))).toEqual(JSON.parse(text));
  expect(back.tokens?.accessToken.reveal()).toBe('one');
  expect(back.tokens?.refreshToken?.reveal()).toBe('one-refresh');
  expect(back.client.clientSecret?.reveal()).toBe('quiet');
  expect(back.dpopKey?.reveal()).toBe('{"kty":"EC"}');
  expect(back).toMatchObject({ server: record.server, revision: 7, scopes: ['read'], resource: record.resource });
  expect(inspect(back, { depth: 9 })).not.toMatch(/one|quiet|kty/u);
});

test('whatever the texts in it, a record comes back as it was', () => {
  const anyText = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(anyText, anyText, fc.array(anyText), (token, account, scopes) => {
      const text = toRecordText({ ...signedIn(token), account, scopes, revision: 1 });
      expect(checkRecord(text)).toMatchObject({ account, scopes });
      expect(checkRecord(text).tokens?.accessToken.reveal()).toBe(token);
    }),
    { numRuns: 50 },
  );
});

test('a record that is cut off anywhere is broken, and the reason quotes nothing of it', () => {
  const text = toRecordText(record);
  for (let length = 0; length < text.length; length++) {
    expect(parseRecord(text.slice(0, length))).toEqual({ kind: 'broken', reason: 'it is not complete JSON' });
  }
});

test.each([
  ['null', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['{}', 'its field server is not a string'],
  ['{"version":"1"}', 'its version is not a number'],
  ['{"version":-1}', 'its version is not a number'],
])('%s is broken: %s', (text, reason) => {
  expect(parseRecord(text)).toEqual({ kind: 'broken', reason });
});

test('a record that is nested too deeply to be written again is broken', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const text of [deep, JSON.stringify(written()).replace('{', `{"x":${deep},`)]) {
    expect(parseRecord(text)).toMatchObject({ kind: 'broken' });
  }
});

test.each([
  ['revision', 1.5, 'a whole number'],
  ['revision', -1, 'a whole number'],
  ['issuer', 'https://login.example.com', 'an object'],
  ['scopes', ['read', 1], 'a list of strings'],
  ['scopes', 'read', 'a list of strings'],
  ['dpopKey', {}, 'a string'],
  ['account', null, 'a string'],
])('a %s of %j is not believed', (field, value, wanted) => {
  const text = JSON.stringify({ ...written(), [field]: value });
  expect(parseRecord(text)).toEqual({ kind: 'broken', reason: `its field ${field} is not ${wanted}` });
});

test.each([
  ['tokens', { type: 'MAC' }, 'its field tokens.type is not one of Bearer, DPoP'],
  ['tokens', { accessToken: 5 }, 'its field tokens.accessToken is not a string'],
  ['tokens', { expiresAt: 'soon' }, 'its field tokens.expiresAt is not a time'],
  ['tokens', { obtainedAt: null }, 'its field tokens.obtainedAt is not a time'],
  ['client', { origin: 'found' }, 'its field client.origin is not one of given, document, registered'],
  ['client', { clientId: undefined }, 'its field client.clientId is not a string'],
  ['issuer', { tokenEndpoint: ['x'] }, 'its field issuer.tokenEndpoint is not a string'],
])('%s with %j are not believed', (part, wrong, reason) => {
  const whole = written();
  const text = JSON.stringify({ ...whole, [part]: { ...(whole[part] as object), ...wrong } });
  expect(parseRecord(text)).toEqual({ kind: 'broken', reason });
});

test('a record from before versions were counted is brought up to date', () => {
  const { version, account, revision, resource, scopes, ...old } = written();
  expect([version, account, revision, resource, scopes]).toEqual([
    1,
    'work',
    7,
    'https://mcp.example.com/v1',
    ['read'],
  ]);
  expect(checkRecord(JSON.stringify(old))).toMatchObject({
    account: '',
    revision: 0,
    resource: old['server'],
    scopes: [],
  });
  expect(checkRecord(JSON.stringify({ ...old, account: 'home' })).account).toBe('home');
});

test('a record of a newer program is told as that, whatever is in it', () => {
  expect(parseRecord('{"version":2,"tokens":"elsewhere"}')).toEqual({ kind: 'newer', version: 2 });
});

test('fields that this program does not know stay, except those of tokens and of others that are gone', () => {
  const whole = written();
  const parsed = parseRecord(
    JSON.stringify({
      ...whole,
      later: { a: [1] },
      issuer: {
        ...(whole['issuer'] as object),
        later: 'issuer',
        revocationEndpoint: 'https://login.example.com/revoke',
      },
      client: { ...(whole['client'] as object), later: 'client' },
      tokens: { ...(whole['tokens'] as object), later: 'tokens' },
    }),
  );
  if (parsed.kind !== 'record') throw new Error(parsed.kind);
  const same = JSON.parse(toRecordText(record, parsed.fields)) as Record<string, Record<string, unknown>>;
  expect(same).toMatchObject({ later: { a: [1] }, issuer: { later: 'issuer' }, client: { later: 'client' } });
  expect(same['tokens']).not.toHaveProperty('later');
  expect(same['issuer']).not.toHaveProperty('revocationEndpoint');
  const other = { ...record, tokens: undefined, client: { ...record.client, clientId: 'other' } };
  const moved = JSON.parse(toRecordText(other, parsed.fields)) as Record<string, unknown>;
  expect(moved['client']).not.toHaveProperty('later');
  expect(moved).not.toHaveProperty('tokens');
});
