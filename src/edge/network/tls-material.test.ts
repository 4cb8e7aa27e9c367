import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeIdentity } from '../../../test/faults/certificates.js';
import { HostError } from '../../base/errors.js';
import { loadTlsMaterial, type TlsFiles } from './tls-material.js';

const folder = mkdtempSync(join(tmpdir(), 'plugboard-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const one = makeIdentity({ name: 'one', isAuthority: true });
const two = makeIdentity({ name: 'two' });
const LOCKED = String(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-128-cbc',
    passphrase: 'secret',
  }),
);
const files: Record<string, string | Buffer> = {
  'one.pem': one.cert,
  'one.key': one.key,
  'two.key': two.key,
  'both.pem': `some words before\n${one.cert}\n${two.cert}`,
  'bag.pem': one.key + one.cert,
  'locked.key': LOCKED,
  'words.pem': 'These are words',
  'empty.pem': '',
  'cut.pem': one.cert.replace(/\n[^-]{64}\n/u, '\n'),
  'cut.key': one.key.replace(/\n[^-]{40}/u, '\n'),
  'binary.der': randomBytes(400),
  'huge.pem': 'x'.repeat(1_048_577),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
mkdirSync(join(folder, 'folder'));

test.each<[what: string, tls: TlsFiles, hasCertificate: boolean]>([
  ['an issuer from a file', { ca: 'one.pem' }, false],
  ['several issuers in one file', { ca: 'both.pem' }, false],
  ['a file by its whole path', { ca: join(folder, 'one.pem') }, false],
  ['an issuer as text', { ca: `\n${one.cert}` }, false],
  ['a certificate and its key', { cert: 'one.pem', key: 'one.key' }, true],
  ['both in one file', { cert: 'bag.pem', key: 'bag.pem' }, true],
  ['both as text', { ca: two.cert, cert: one.cert, key: one.key }, true],
  ['nothing at all', {}, false],
])('an entry may have %s', (_what, tls, hasCertificate) => {
  expect(loadTlsMaterial(tls, { label: 'Server "x"', cwd: folder }).hasCertificate).toBe(hasCertificate);
});

test.each<[what: string, tls: TlsFiles, message: RegExp, hint: RegExp]>([
  ['a file that is not there', { ca: 'none.pem' }, /there is no file for "tls\.ca" \(.*none\.pem\)/u, /starts in/u],
  ['a path with a tilde', { ca: '~/ca.pem' }, /there is no file for "tls\.ca"/u, /\$\{HOME\}/u],
  ['no path', { key: '', cert: 'one.pem' }, /"tls\.key" is empty/u, /path/u],
  ['a folder', { cert: 'folder', key: 'one.key' }, /"tls\.cert" cannot be used\. .*directory/u, /regular file/u],
  ['a file of more than a megabyte', { ca: 'huge.pem' }, /"tls\.ca" cannot be used\. .*1048577/u, /right file/u],
  ['a binary certificate', { ca: 'binary.der' }, /"tls\.ca" cannot be used\. .*/u, /PEM/u],
  ['words', { ca: 'words.pem' }, /"tls\.ca" \(.*words\.pem\) holds no certificate in PEM/u, /BEGIN/u],
  ['an empty file', { cert: 'empty.pem', key: 'one.key' }, /"tls\.cert" \(.*\) holds no certificate/u, /BEGIN/u],
  ['a certificate with a line missing', { ca: 'cut.pem' }, /holds a broken certificate, number 1 in it/u, /BEGIN/u],
  ['a key in place of an issuer', { ca: one.key }, /"tls\.ca" holds no certificate/u, /BEGIN/u],
  ['a certificate in place of a key', { cert: one.cert, key: one.cert }, /"tls\.key" holds no private key/u, /BEGIN/u],
  ['a broken key', { cert: 'one.pem', key: 'cut.key' }, /"tls\.key" \(.*\) holds a broken private key/u, /BEGIN/u],
  [
    'a locked key',
    { cert: 'one.pem', key: 'locked.key' },
    /"tls\.key" .* is encrypted with a passphrase/u,
    /openssl pkey/u,
  ],
  ['the key of another', { cert: 'one.pem', key: 'two.key' }, /"tls\.key" .* is not the key of "tls\.cert"/u, /key/u],
  ['a certificate without a key', { cert: 'one.pem' }, /has "tls\.cert" and no "tls\.key"/u, /Add "key"/u],
  ['a key without a certificate', { key: one.key }, /has "tls\.key" and no "tls\.cert"/u, /Add "cert"/u],
])('%s is refused with the server, the field and the file', (_what, tls, message, hint) => {
  let error: unknown;
  try {
    loadTlsMaterial(tls, { label: 'Server "x"', cwd: folder });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(HostError);
  const { code, message: text, hint: advice, cause } = error as HostError;
  expect([code.startsWith('config-'), text, advice]).toEqual([
    true,
    expect.stringMatching(message),
    expect.stringMatching(hint),
  ]);
  expect(text).toMatch(/^Server "x"/u);
  const secrets = [one.key, two.key, LOCKED].flatMap((key) => key.split('\n').slice(1, -2));
  expect(secrets.filter((line) => `${text} ${advice} ${String(cause)}`.includes(line))).toEqual([]);
});
