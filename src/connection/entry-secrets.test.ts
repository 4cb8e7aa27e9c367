import { expect, test } from 'vitest';
import { Secret } from '../base/secret.js';
import { entrySecrets } from './entry-secrets.js';

test.each<readonly [name: string, value: string, isSecret: boolean]>([
  ['NODE_ENV', 'production', false],
  ['API_TOKEN', 'production', true],
  ['ID', 'tok-5fK20dkWq9', true],
  // Results name files in folders that the entry names.
  ['OUTPUT_DIR', '/home/me/my notes/out_1.d', false],
  ['OUTPUT_DIR', '~/notes', false],
  ['OUTPUT_DIR', 'C:\\Users\\me\\notes', false],
  ['KEY_FILE', '/home/me/key.pem', true],
  ['WHAT', '/9j/4AAQSkZJRgABAQ', true],
  ['WHAT', '/srv/hook?t=5fK20dkWq9', true],
  ['WHAT', '/tmp', false],
  ['WHAT', 'https://hooks.example.org/T0/5fK20dkWq9', true],
  // The name tells, as a word of it.
  ...[
    'USER_PIN',
    'GH_PAT',
    'githubPat',
    'OTP',
    'TOTP_SEED',
    'SALTS',
    'MNEMONIC',
    'DB_DSN',
    'HOOK_WEBHOOK',
    'PG_CONN',
  ].map((name) => [name, '/tmp/notes', true] as const),
  ...['DB_CONNECTION', 'CONNECTION_STRING', 'MY_JWT', 'ACCESS'].map((name) => [name, '/tmp/notes', true] as const),
  ...[
    'OUTPUT_DIR',
    'HOME',
    'PATH',
    'SPATIAL',
    'PIPELINE',
    'MAPPINGS',
    'ACCESSIBLE',
    'OPTION',
    'CONNECTOR',
    'dataPath',
  ].map((name) => [name, '/tmp/notes', false] as const),
])('%s=%s of an entry: a secret: %s', (name, value, isSecret) => {
  const secret = new Secret(value);
  expect(entrySecrets({ env: { [name]: secret } })).toEqual(isSecret ? [secret] : []);
});
