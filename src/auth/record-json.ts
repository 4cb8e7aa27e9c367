import { isObject } from '../base/json.js';
import { Secret } from '../base/secret.js';
import type { AuthorizationServer, ClientIdentity, CredentialRecord, TokenSet } from './credential-record.js';

export type RecordFields = Readonly<Record<string, unknown>>;

export type ParsedRecord =
  /** `fields`: all of it as it stands, what this program does not know included. */
  | { readonly kind: 'record'; readonly record: CredentialRecord; readonly fields: RecordFields }
  /** Half of it is missing, or it never was one. The reason quotes nothing of it. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** A program that is newer than this one wrote it. */
  | { readonly kind: 'newer'; readonly version: number };

/** A record as it is kept, whatever wrote it. Never throws. */
export function parseRecord(text: string): ParsedRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return { kind: 'broken', reason: 'it is no JSON object' };
    JSON.stringify(value); // what is nested too deeply to be written again would be stuck here for ever
    const version = value['version'] ?? 0;
    if (!isCount(version)) return { kind: 'broken', reason: 'its version is no number' };
    if (version > VERSION) return { kind: 'newer', version };
    const fields = MIGRATIONS.slice(version).reduce((older, migrate) => migrate(older), value);
    return { kind: 'record', record: toRecord(new Fields(fields, '')), fields };
  } catch (error) {
    const reason = error instanceof WrongField ? error.message : 'it is not whole JSON';
    return { kind: 'broken', reason };
  }
}

/** `before`: the fields of the copy that it takes the place of. What this program does not know of them stays. */
export function toRecordText(record: CredentialRecord, before: RecordFields = {}): string {
  const { issuer, client, tokens, dpopKey } = record;
  return JSON.stringify({
    ...before,
    ...record,
    version: VERSION,
    // Unknown fields of another server or client say nothing about this one, and those of old tokens nothing about new ones.
    issuer: { ...ofSame(before['issuer'], 'issuer', issuer.issuer), ...NO_ISSUER, ...issuer },
    client: {
      ...ofSame(before['client'], 'clientId', client.clientId),
      ...NO_CLIENT,
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

/** What this program knows is as it says now, or is not there. */
const NO_ISSUER: Record<keyof AuthorizationServer, undefined> = {
  issuer: undefined,
  authorizationEndpoint: undefined,
  tokenEndpoint: undefined,
  registrationEndpoint: undefined,
  revocationEndpoint: undefined,
  deviceEndpoint: undefined,
  scopesSupported: undefined,
  authMethods: undefined,
  grantTypes: undefined,
  codeChallengeMethods: undefined,
  dpopAlgorithms: undefined,
  saysIss: undefined,
  readsClientDocuments: undefined,
  isAssumed: undefined,
};
const NO_CLIENT: Record<keyof ClientIdentity, undefined> = {
  clientId: undefined,
  clientSecret: undefined,
  origin: undefined,
  authMethod: undefined,
  redirectUri: undefined,
  secretExpiresAt: undefined,
};

const VERSION = 1;

/** From each version to the next one. */
const MIGRATIONS: readonly ((older: RecordFields) => RecordFields)[] = [
  // Before versions were counted there was one account a server, and one copy of each.
  (older) => ({ account: '', revision: 0, resource: older['server'], scopes: [], ...older, version: 1 }),
];

class WrongField extends Error {}

/** The fields of one object, each checked as it is taken. */
class Fields {
  readonly #values: RecordFields;
  readonly #path: string;

  constructor(values: RecordFields, path: string) {
    this.#values = values;
    this.#path = path;
  }

  text(name: string): string {
    return this.maybeText(name) ?? this.#wrong(name, 'a text');
  }

  maybeText(name: string): string | undefined {
    const value = this.#values[name];
    return value === undefined || typeof value === 'string' ? value : this.#wrong(name, 'a text');
  }

  maybeSecret(name: string): Secret | undefined {
    const value = this.maybeText(name);
    return value === undefined ? undefined : new Secret(value);
  }

  /** Milliseconds since 1970. */
  maybeTime(name: string): number | undefined {
    const value = this.#values[name];
    return value === undefined || (typeof value === 'number' && Number.isFinite(value))
      ? value
      : this.#wrong(name, 'a time');
  }

  time(name: string): number {
    return this.maybeTime(name) ?? this.#wrong(name, 'a time');
  }

  count(name: string): number {
    const value = this.#values[name];
    return isCount(value) ? value : this.#wrong(name, 'a whole number');
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  maybeTexts(name: string): readonly string[] | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const isRight = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isRight ? value : this.#wrong(name, 'a list of texts');
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.#values[name];
    return allowed.find((each) => each === value) ?? this.#wrong(name, `one of ${allowed.join(', ')}`);
  }

  maybePart(name: string): Fields | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    return isObject(value) ? new Fields(value, `${this.#path}${name}.`) : this.#wrong(name, 'an object');
  }

  part(name: string): Fields {
    return this.maybePart(name) ?? this.#wrong(name, 'an object');
  }

  #wrong(name: string, wanted: string): never {
    throw new WrongField(`its field ${this.#path}${name} is not ${wanted}`);
  }
}

function toRecord(fields: Fields): CredentialRecord {
  const tokens = fields.maybePart('tokens');
  return {
    server: fields.text('server'),
    account: fields.text('account'),
    revision: fields.count('revision'),
    issuer: toIssuer(fields.part('issuer')),
    client: toClient(fields.part('client')),
    tokens: tokens && toTokens(tokens),
    resource: fields.text('resource'),
    scopes: fields.maybeTexts('scopes') ?? [],
    by: fields.maybeText('by'),
    dpopKey: fields.maybeSecret('dpopKey'),
  };
}

function toIssuer(fields: Fields): AuthorizationServer {
  return {
    issuer: fields.text('issuer'),
    authorizationEndpoint: fields.maybeText('authorizationEndpoint'),
    tokenEndpoint: fields.text('tokenEndpoint'),
    registrationEndpoint: fields.maybeText('registrationEndpoint'),
    revocationEndpoint: fields.maybeText('revocationEndpoint'),
    deviceEndpoint: fields.maybeText('deviceEndpoint'),
    scopesSupported: fields.maybeTexts('scopesSupported'),
    authMethods: fields.maybeTexts('authMethods'),
    grantTypes: fields.maybeTexts('grantTypes'),
    codeChallengeMethods: fields.maybeTexts('codeChallengeMethods'),
    dpopAlgorithms: fields.maybeTexts('dpopAlgorithms'),
    saysIss: fields.flag('saysIss'),
    readsClientDocuments: fields.flag('readsClientDocuments'),
    isAssumed: fields.flag('isAssumed'),
  };
}

function toClient(fields: Fields): ClientIdentity {
  return {
    clientId: fields.text('clientId'),
    clientSecret: fields.maybeSecret('clientSecret'),
    origin: fields.oneOf('origin', ['given', 'document', 'registered']),
    authMethod: fields.maybeText('authMethod'),
    redirectUri: fields.maybeText('redirectUri'),
    secretExpiresAt: fields.maybeTime('secretExpiresAt'),
  };
}

function toTokens(fields: Fields): TokenSet {
  return {
    accessToken: new Secret(fields.text('accessToken')),
    type: fields.oneOf('type', ['Bearer', 'DPoP']),
    refreshToken: fields.maybeSecret('refreshToken'),
    idToken: fields.maybeSecret('idToken'),
    scope: fields.maybeText('scope'),
    expiresAt: fields.maybeTime('expiresAt'),
    obtainedAt: fields.time('obtainedAt'),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
