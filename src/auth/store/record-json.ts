import { isObject } from '../../base/json.js';
import { Secret } from '../../base/secret.js';
import type { AuthorizationServer, ClientIdentity, CredentialRecord, TokenSet } from './credential-record.js';

export type RecordFields = Readonly<Record<string, unknown>>;

export type ParsedRecord =
  /** `fields`: the whole object as stored, including fields that this version does not know. */
  | { readonly kind: 'record'; readonly record: CredentialRecord; readonly fields: RecordFields }
  /** Truncated, or never a record. The reason quotes nothing of it. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** Written by a newer version. */
  | { readonly kind: 'newer'; readonly version: number };

/** Parses a stored record of any version. Never throws. */
export function parseRecord(text: string): ParsedRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return { kind: 'broken', reason: 'it is not a JSON object' };
    JSON.stringify(value); // throws for what is nested too deeply to be saved again
    const version = value['version'] ?? 0;
    if (!isCount(version)) return { kind: 'broken', reason: 'its version is not a number' };
    if (version > VERSION) return { kind: 'newer', version };
    const fields = MIGRATIONS.slice(version).reduce((older, migrate) => migrate(older), value);
    return { kind: 'record', record: part(RECORD)(fields, ''), fields };
  } catch (error) {
    const reason = error instanceof WrongField ? error.message : 'it is not complete JSON';
    return { kind: 'broken', reason };
  }
}

/** `before`: the fields of the copy that is replaced. Those that this version does not know are kept. */
export function toRecordText(record: CredentialRecord, before: RecordFields = {}): string {
  const { issuer, client, tokens, dpopKey } = record;
  return JSON.stringify({
    ...before,
    ...record,
    version: VERSION,
    // Unknown fields are kept for the same issuer and client only, never for tokens, which are new.
    issuer: { ...ofSame(before['issuer'], 'issuer', issuer.issuer), ...blank(ISSUER), ...issuer },
    client: {
      ...ofSame(before['client'], 'clientId', client.clientId),
      ...blank(CLIENT),
      ...client,
      clientSecret: client.clientSecret?.reveal(),
    },
    tokens: tokens && {
      ...tokens,
      accessToken: tokens.accessToken.reveal(),
      refreshToken: tokens.refreshToken?.reveal(),
      idToken: tokens.idToken?.reveal(),
    },
    dpopKey: dpopKey?.reveal(),
  });
}

function ofSame(old: unknown, field: string, value: string): RecordFields {
  return isObject(old) && old[field] === value ? old : {};
}

const VERSION = 1;

/** Each one migrates from its version to the next. */
const MIGRATIONS: readonly ((older: RecordFields) => RecordFields)[] = [
  // Before versions were counted there was one account per server, and one copy of each record.
  (older) => ({ account: '', revision: 0, resource: older['server'], scopes: [], ...older, version: 1 }),
];

class WrongField extends Error {}

/** Reads a field, checking its type. Throws WrongField. */
type Read<T> = (value: unknown, path: string) => T;

type Table<T> = { readonly [Name in keyof T]-?: Read<T[Name]> };

function kind<T>(wanted: string, is: (value: unknown) => value is T): Read<T> {
  return (value, path) => {
    if (is(value)) return value;
    throw new WrongField(`its field ${path} is not ${wanted}`);
  };
}

function maybe<T>(read: Read<T>): Read<T | undefined> {
  return (value, path) => (value === undefined ? undefined : read(value, path));
}

function oneOf<const T extends string>(...allowed: readonly T[]): Read<T> {
  return kind(`one of ${allowed.join(', ')}`, (value): value is T => allowed.some((one) => one === value));
}

function part<T extends object>(table: Table<T>): Read<T> {
  return (value, path) => {
    const fields = object(value, path);
    const prefix = path === '' ? '' : `${path}.`;
    const read = Object.entries<Read<unknown>>(table).map(([name, one]) => [name, one(fields[name], prefix + name)]);
    return Object.fromEntries(read) as T;
  };
}

/** All fields of a table as undefined, so that no known field of the replaced copy is kept. */
function blank(table: object): RecordFields {
  return Object.fromEntries(Object.keys(table).map((name) => [name, undefined]));
}

const object = kind('an object', isObject);
const text = kind('a string', (value) => typeof value === 'string');
const texts = kind('a list of strings', (value): value is readonly string[] => {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
});
const secret: Read<Secret> = (value, path) => new Secret(text(value, path));
/** Milliseconds since 1970. */
const time = kind('a time', (value): value is number => typeof value === 'number' && Number.isFinite(value));
const flag: Read<boolean> = (value) => value === true;

const ISSUER: Table<AuthorizationServer> = {
  issuer: text,
  authorizationEndpoint: maybe(text),
  tokenEndpoint: text,
  registrationEndpoint: maybe(text),
  revocationEndpoint: maybe(text),
  deviceEndpoint: maybe(text),
  scopesSupported: maybe(texts),
  authMethods: maybe(texts),
  grantTypes: maybe(texts),
  codeChallengeMethods: maybe(texts),
  dpopAlgorithms: maybe(texts),
  saysIss: flag,
  readsClientDocuments: flag,
  isAssumed: flag,
};

const CLIENT: Table<ClientIdentity> = {
  clientId: text,
  clientSecret: maybe(secret),
  origin: oneOf('given', 'document', 'registered'),
  authMethod: maybe(text),
  redirectUri: maybe(text),
  secretExpiresAt: maybe(time),
};

const TOKENS: Table<TokenSet> = {
  accessToken: secret,
  type: oneOf('Bearer', 'DPoP'),
  refreshToken: maybe(secret),
  idToken: maybe(secret),
  scope: maybe(text),
  expiresAt: maybe(time),
  obtainedAt: time,
};

const RECORD: Table<CredentialRecord> = {
  server: text,
  account: text,
  revision: kind('a whole number', isCount),
  issuer: part(ISSUER),
  client: part(CLIENT),
  tokens: maybe(part(TOKENS)),
  resource: text,
  scopes: (value, path) => maybe(texts)(value, path) ?? [],
  by: maybe(text),
  dpopKey: maybe(secret),
};

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
