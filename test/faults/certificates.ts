// https://www.rfc-editor.org/rfc/rfc5280#section-4.1
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its key, made for one test and stored nowhere. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly subject: Buffer;
  readonly privateKey: KeyObject;
}

export interface IdentityOptions {
  readonly name: string;
  /** The certificate authority; without one the certificate is self-signed. */
  readonly issuer?: Identity;
  readonly isAuthority?: boolean;
  /** Host names and IPv4 addresses that the certificate is for. */
  readonly hosts?: readonly string[];
  readonly from?: Date;
  readonly until?: Date;
}

/** An X.509 version 3 certificate with a P-256 key, signed with SHA-256. */
export function makeIdentity(options: IdentityOptions): Identity {
  const { name, issuer, isAuthority = false, hosts = [] } = options;
  const { from = new Date(Date.now() - DAY), until = new Date(Date.now() + DAY) } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(set(sequence(objectId(COMMON_NAME), der(UTF8_STRING, Buffer.from(name)))));
  const extensions = [
    sequence(objectId(BASIC_CONSTRAINTS), TRUE, octets(isAuthority ? sequence(TRUE) : sequence())),
    ...(hosts.length === 0 ? [] : [sequence(objectId(ALTERNATIVE_NAMES), octets(sequence(...hosts.map(toHostName))))]),
  ];
  const body = sequence(
    der(context(0, true), integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    SIGNATURE,
    issuer?.subject ?? subject,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(context(3, true), sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const whole = sequence(body, SIGNATURE, der(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])));
  return { cert: toPem(whole), key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), subject, privateKey };
}

const DAY = 86_400_000;

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

const COMMON_NAME = [2, 5, 4, 3];
const ALTERNATIVE_NAMES = [2, 5, 29, 17];
const BASIC_CONSTRAINTS = [2, 5, 29, 19];
const SIGNATURE = sequence(objectId([1, 2, 840, 10_045, 4, 3, 2])); // ecdsa-with-SHA256

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(SEQUENCE, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(SET, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return der(INTEGER, bytes);
}

function octets(content: Buffer): Buffer {
  return der(OCTET_STRING, content);
}

/** The tag of a context-specific field. */
function context(number: number, isConstructed: boolean): number {
  return 0x80 | (isConstructed ? 0x20 : 0) | number;
}

function objectId([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  return der(OBJECT_ID, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]));
}

function toBase128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** Years up to 2049 have two digits (UTCTime). */
function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]/gu, '').slice(0, 14)}Z`;
  const isShort = date.getUTCFullYear() < 2050;
  return der(isShort ? UTC_TIME : GENERALIZED_TIME, Buffer.from(isShort ? digits.slice(2) : digits));
}

function toHostName(host: string): Buffer {
  if (isIPv4(host)) return der(context(7, false), Buffer.from(host.split('.').map(Number)));
  return der(context(2, false), Buffer.from(host));
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/gu) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
