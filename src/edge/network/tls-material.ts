import { createPrivateKey, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import * as tls from 'node:tls';
import { HostError } from '../../base/errors.js';
import { readBounded } from '../files/read-file.js';
import { TLS_FLOOR } from './tls-floor.js';
import { errorCodeOf } from '../files/write-error.js';

/** The certificates of an entry, ready to use. The key cannot be read out of them again. */
export interface TlsMaterial {
  /** For the server: trusts the entry's issuers besides the default ones, and sends its certificate on request. */
  readonly server: tls.SecureContext;
  /** For a proxy: trusts the same issuers, and sends no certificate. */
  readonly proxy: tls.SecureContext;
  readonly hasCertificate: boolean;
}

/** Each is the path of a PEM file, or its text. */
export interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface TlsMaterialOptions {
  /** Subject of every error message: `Server "db"`. */
  readonly label: string;
  /** Base of relative paths. */
  readonly cwd: string;
}

/** Reads and checks an entry's certificates. Throws a `HostError` that names server, field and file, but no key. */
export function loadTlsMaterial(files: TlsFiles, options: TlsMaterialOptions): TlsMaterial {
  const { label } = options;
  const [ca, cert, key] = FIELDS.map((field) => readPem(files[field], field, options));
  if ((cert === undefined) !== (key === undefined)) {
    const [has, lacks] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new HostError('config-invalid', `${label} has "tls.${has}" and no "tls.${lacks}": both are needed`, {
      hint: `Add "${lacks}" to the "tls" of its entry, or take "${has}" out`,
    });
  }
  const issuers = ca ? certificatesIn(ca, label) : [];
  const proxy = openContext(issuers);
  if (!cert || !key) return { server: proxy, proxy, hasCertificate: false };
  checkKey(key, new X509Certificate(certificatesIn(cert, label)[0]!), { label, cert });
  try {
    return { server: openContext(issuers, { cert: cert.text, key: key.text }), proxy, hasCertificate: true };
  } catch (cause) {
    throw unusable(cert, label, `cannot be used with ${key.place} (${errorCodeOf(cause) ?? 'unknown'})`);
  }
}

const FIELDS = ['ca', 'cert', 'key'] as const;
const PEM_LIMIT = 1_048_576; // bytes; all roots of an operating system take a quarter of it

interface Pem {
  readonly text: string;
  /** Field and file, for messages: a key itself is never shown. */
  readonly place: string;
}

function readPem(
  value: string | undefined,
  field: string,
  { label, cwd }: { readonly label: string; readonly cwd: string },
): Pem | undefined {
  if (value === undefined) return undefined;
  if (value.trimStart().startsWith('-----BEGIN ')) return { text: value, place: `"tls.${field}"` };
  const path = resolve(cwd, value);
  const place = `"tls.${field}" (${path})`;
  const read = value === '' ? ABSENT : readBounded(path, { limit: PEM_LIMIT });
  if (read.kind === 'text') return { text: read.text, place };
  if (read.kind === 'refused') {
    const { code, message, hint } = read.error;
    const advice = hint === undefined ? PEM_HINT : `${hint}. ${PEM_HINT}`;
    throw new HostError(code, `${label}: "tls.${field}" cannot be used. ${message}`, {
      hint: advice,
      cause: read.error,
    });
  }
  const what = value === '' ? `"tls.${field}" is empty` : `there is no file for ${place}`;
  const hint = value.startsWith('~')
    ? 'Write ${HOME} in place of ~'
    : `Write the path of a PEM file; a relative one starts in ${cwd}`;
  throw new HostError('config-unreadable', `${label}: ${what}`, { hint });
}

const ABSENT = { kind: 'absent' } as const;
const PEM_HINT =
  'PEM is text that begins with -----BEGIN; openssl x509 -inform der converts a binary certificate to it';

/** Checks each certificate: OpenSSL skips a broken one, and the server would be refused later for no visible reason. */
function certificatesIn(pem: Pem, label: string): readonly string[] {
  const blocks = pem.text.match(CERTIFICATE);
  if (!blocks) throw unusable(pem, label, 'holds no certificate in PEM');
  for (const [index, block] of blocks.entries()) {
    try {
      void new X509Certificate(block);
    } catch {
      throw unusable(pem, label, `holds a broken certificate, number ${index + 1} in it`);
    }
  }
  return blocks;
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/gu;

function checkKey(key: Pem, certificate: X509Certificate, { label, cert }: { label: string; cert: Pem }): void {
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/u.test(key.text))
    throw unusable(key, label, 'holds no private key in PEM');
  let privateKey;
  try {
    privateKey = createPrivateKey(key.text);
  } catch (cause) {
    if (/ENCRYPTED/u.test(key.text)) {
      const hint =
        'Write the key without a passphrase into a file that only you can read: openssl pkey -in key -out plain';
      throw new HostError('config-invalid', `${label}: ${key.place} is encrypted with a passphrase`, { hint });
    }
    throw unusable(key, label, `holds a broken private key (${errorCodeOf(cause) ?? 'unknown'})`);
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    const hint = 'Use the key that belongs to the first certificate of the file';
    throw new HostError('config-invalid', `${label}: ${key.place} is not the key of ${cert.place}`, { hint });
  }
}

function unusable(pem: Pem, label: string, what: string): HostError {
  return new HostError('config-invalid', `${label}: ${pem.place} ${what}`, { hint: PEM_HINT });
}

/** Trusts these issuers besides Node's default ones, which include NODE_EXTRA_CA_CERTS. */
function openContext(
  issuers: readonly string[],
  shown: { readonly cert?: string; readonly key?: string } = {},
): tls.SecureContext {
  const context = tls.createSecureContext({ ...TLS_FLOOR, ...shown });
  // `addCACert` is undocumented, but `ca` replaces the default roots, and re-adding all 140 takes 50 ms per context.
  const native = context.context as { addCACert?: (pem: string) => void };
  if (native.addCACert) {
    for (const issuer of issuers) native.addCACert(issuer);
    return context;
  }
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] }; // in newer versions of Node
  const usual = getCACertificates?.('default') ?? tls.rootCertificates;
  return tls.createSecureContext({ ...TLS_FLOOR, ...shown, ca: [...usual, ...issuers] });
}
