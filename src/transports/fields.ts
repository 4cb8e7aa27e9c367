import { isObject } from '../base/json.js';
import { nearest } from '../base/nearest.js';
import { Secret } from '../base/secret.js';
import { OAUTH_GRANTS, type OAuthSettings } from '../model/oauth-settings.js';
import { gateUrl, type Scheme } from '../model/url-gate.js';
import { CALL_TIMEOUT_MIN, meantField, missingHint, urlHint, valueHint } from './field-hints.js';
import type { CommonConfig, FieldIssue, RawEntry, RemoteConfig } from './kind.js';

export const commonFields = [
  'type',
  'timeout',
  'startTimeout',
  'trust',
  'alwaysLoad',
  'disabled',
  'includeTools',
  'excludeTools',
  'start',
  'era',
  'roots',
] as const;
export const remoteFields = [...commonFields, 'url', 'headers', 'headersHelper', 'oauth', 'xaa', 'tls'] as const;

const oauthFields = [
  'clientId',
  'clientSecret',
  'clientMetadataUrl',
  'callbackPort',
  'scopes',
  'authServerMetadataUrl',
  'xaa',
  'grant',
  'privateKey',
  'signingAlgorithm',
  'assertion',
  'dpop',
  'allowMissingPkce',
  'allowIssuerMismatch',
];
const tlsFields = ['ca', 'cert', 'key'];

type Report = (issue: FieldIssue) => void;
type Path = readonly (string | number)[];

/** An object whose fields are read one by one: each gives its value, or undefined and a report of what was expected. */
export interface Fields {
  readonly raw: RawEntry;
  readonly report: Report;
  /** The way from the entry to this object. */
  readonly base: Path;
}

export function readString(fields: Fields, name: string): string | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'string' ? value : wrong(fields, [name], 'a string', value);
}

export function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'boolean' ? value : wrong(fields, [name], 'true or false', value);
}

export function readInteger(
  fields: Fields,
  name: string,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  const value = own(fields.raw, name);
  if (value === undefined) return undefined;
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= range.min && value <= range.max;
  return fits ? value : wrong(fields, [name], `a whole number from ${range.min} to ${range.max}`, value);
}

export function readWord<const Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = own(fields.raw, name);
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const [close] = typeof value === 'string' ? nearest(value, words) : [];
  const message = `expected one of ${words.map((word) => `"${word}"`).join(', ')}, got ${describe(value)}`;
  const hint = close === undefined ? {} : { hint: `Did you mean "${close}"?` };
  fields.report({ severity: 'error', path: [...fields.base, name], message, ...hint });
  return undefined;
}

export function readObject(fields: Fields, name: string): RawEntry | undefined {
  const value = own(fields.raw, name);
  return value === undefined || isObject(value) ? value : wrong(fields, [name], 'an object', value);
}

export function readStrings(fields: Fields, name: string): readonly string[] | undefined {
  const value = own(fields.raw, name);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return wrong(fields, [name], 'an array of strings', value);
  const odd = value.findIndex((element) => typeof element !== 'string');
  return odd === -1 ? (value as string[]) : wrong(fields, [name, odd], 'a string', value[odd]);
}

/** An object of strings, each of which may be a secret. */
export function readSecrets(fields: Fields, name: string): Readonly<Record<string, Secret>> | undefined {
  const value = own(fields.raw, name);
  if (value === undefined) return undefined;
  if (!isObject(value)) return wrong(fields, [name], 'an object of strings', value);
  const secrets: [string, Secret][] = [];
  for (const key of Object.keys(value)) {
    const text = value[key];
    if (typeof text !== 'string') return wrong(fields, [name, key], 'a string', text);
    secrets.push([key, new Secret(text)]);
  }
  return Object.fromEntries(secrets);
}

function wrong({ report, base }: Fields, path: Path, expected: string, value: unknown): undefined {
  const message = `expected ${expected}, got ${describe(value)}`;
  const hint = valueHint(expected, value, path);
  report({ severity: 'error', path: [...base, ...path], message, ...(hint !== undefined && { hint }) });
}

const CALL_TIMEOUT_MAX = 2_147_483_647; // a timer cannot wait longer

export function readCommon(fields: Fields): CommonConfig {
  // Most entries say none of this, and there may be a thousand of them.
  if (!commonFields.some((name) => name !== 'type' && Object.hasOwn(fields.raw, name))) return {};
  return {
    ...defined('timeout', readInteger(fields, 'timeout', { min: CALL_TIMEOUT_MIN, max: CALL_TIMEOUT_MAX })),
    ...defined('startTimeout', readInteger(fields, 'startTimeout', { min: CALL_TIMEOUT_MIN, max: CALL_TIMEOUT_MAX })),
    ...defined('trust', readBoolean(fields, 'trust')),
    ...defined('alwaysLoad', readBoolean(fields, 'alwaysLoad')),
    ...defined('disabled', readBoolean(fields, 'disabled')),
    ...defined('includeTools', readStrings(fields, 'includeTools')),
    ...defined('excludeTools', readStrings(fields, 'excludeTools')),
    ...defined('start', readWord(fields, 'start', ['eager', 'lazy'])),
    ...defined('era', readWord(fields, 'era', ['auto', 'legacy', 'modern'])),
    ...defined('roots', readRoots(fields)),
  };
}

function readRoots(fields: Fields): false | readonly string[] | undefined {
  const value = own(fields.raw, 'roots');
  if (value === false) return false;
  if (value === undefined || Array.isArray(value)) return readStrings(fields, 'roots');
  return wrong(fields, ['roots'], 'false, or an array of folders', value);
}

/** A server behind a URL: everything but its type. */
export function readRemote(raw: RawEntry, report: Report): RemoteConfig {
  const fields: Fields = { raw, report, base: [] };
  const headers = readSecrets(fields, 'headers') ?? {};
  for (const name of Object.keys(headers)) checkHeader(name, headers[name]!.reveal(), report);
  return {
    ...readCommon(fields),
    url: requireString(fields, 'url'),
    headers,
    ...defined('headersHelper', readString(fields, 'headersHelper')),
    ...defined('oauth', readOAuth(readObject(fields, 'oauth'), report)),
    ...defined('xaa', readBoolean(fields, 'xaa')),
    ...defined('tls', readTls(readObject(fields, 'tls'), report)),
  };
}

function readOAuth(raw: RawEntry | undefined, report: Report): OAuthSettings | undefined {
  if (!raw) return undefined;
  const fields: Fields = { raw, report, base: ['oauth'] };
  reportUnknown(raw, oauthFields, report, ['oauth']);
  // `scopes` is a list here and one string, separated by blanks, where OAuth itself is spoken; both are written.
  const scopes =
    typeof raw['scopes'] === 'string' ? raw['scopes'].split(/\s+/u).filter(Boolean) : readStrings(fields, 'scopes');
  return {
    ...defined('clientId', readString(fields, 'clientId')),
    ...defined('clientSecret', readSecret(fields, 'clientSecret')),
    ...defined('clientMetadataUrl', readString(fields, 'clientMetadataUrl')),
    ...defined('callbackPort', readInteger(fields, 'callbackPort', { min: 1, max: 65_535 })),
    ...defined('scopes', scopes),
    ...defined('authServerMetadataUrl', readString(fields, 'authServerMetadataUrl')),
    ...defined('xaa', readBoolean(fields, 'xaa')),
    ...defined('grant', readWord(fields, 'grant', OAUTH_GRANTS)),
    ...defined('privateKey', readSecret(fields, 'privateKey')),
    ...defined('signingAlgorithm', readString(fields, 'signingAlgorithm')),
    ...defined('assertion', readSecret(fields, 'assertion')),
    ...defined('dpop', readBoolean(fields, 'dpop')),
    ...defined('allowMissingPkce', readBoolean(fields, 'allowMissingPkce')),
    ...defined('allowIssuerMismatch', readBoolean(fields, 'allowIssuerMismatch')),
  };
}

function readSecret(fields: Fields, name: string): Secret | undefined {
  const text = readString(fields, name);
  return text === undefined ? undefined : new Secret(text);
}

function readTls(raw: RawEntry | undefined, report: Report): RemoteConfig['tls'] | undefined {
  if (!raw) return undefined;
  const fields: Fields = { raw, report, base: ['tls'] };
  reportUnknown(raw, tlsFields, report, ['tls']);
  return {
    ...defined('ca', readString(fields, 'ca')),
    ...defined('cert', readString(fields, 'cert')),
    ...defined('key', readString(fields, 'key')),
  };
}

/** The URL of a remote server, once its variables are known. A user may name any address, but not any scheme. */
export function checkUrl(url: string, schemes: readonly Scheme[], report: Report): void {
  const verdict = gateUrl(url, { from: 'user', purpose: 'fetch', schemes });
  if (!verdict.ok) {
    const hint = urlHint(url, verdict.code, schemes);
    report({ severity: 'error', path: ['url'], message: verdict.reason, hint });
  } else if (verdict.warnings.includes('plain-http')) {
    const message = 'everything sent there can be read on the way: it is not encrypted';
    report({ severity: 'warning', path: ['url'], message, hint: `Use ${schemes[0]}:// if the server has it` });
  }
}

/** RFC 9110 section 5.1: a field name is a token; a value holds no line break. */
function checkHeader(name: string, value: string, report: Report): void {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u.test(name)) {
    report({ severity: 'error', path: ['headers', name], message: 'is not a header name' });
  }
  if (/[\r\n\0]/u.test(value)) {
    report({ severity: 'error', path: ['headers', name], message: 'holds a line break, which no header may' });
  }
}

/** A text that has to be there and to say something. */
export function requireString(fields: Fields, name: string): string {
  if (own(fields.raw, name) === undefined) missing(fields, name);
  const text = readString(fields, name);
  if (text?.trim() === '')
    fields.report({
      severity: 'error',
      path: [...fields.base, name],
      message: 'is empty: this server is not configured yet',
    });
  return text ?? '';
}

/** A field that has to be there and is not. */
function missing({ raw, report }: Fields, name: string): void {
  report({ severity: 'error', path: [], message: `"${name}" is missing`, hint: missingHint(raw, name) });
}

/** Fields nobody here knows are kept in the file and told: a typo must not be silent. */
export function reportUnknown(raw: RawEntry, known: readonly string[], report: Report, base: Path = []): void {
  for (const field of Object.keys(raw)) {
    if (known.includes(field)) continue;
    const foreign = meantField(field);
    const meant = foreign !== undefined && known.includes(foreign) ? foreign : nearest(field, known)[0];
    report({
      severity: 'warning',
      path: [...base, field],
      message: 'is not a field Plugboard knows; it is kept and not used',
      ...(meant !== undefined && { hint: `Did you mean "${meant}"?` }),
    });
  }
}

/** A blank or a line end that was copied along with a value is invisible and never meant. */
export function reportBlanks(raw: RawEntry, report: Report): void {
  for (const field of ['command', 'cwd', 'url']) {
    if (isPadded(own(raw, field))) report(paddedIssue([field]));
  }
  for (const field of ['env', 'headers']) {
    const record = own(raw, field);
    if (!isObject(record)) continue;
    for (const key of Object.keys(record)) if (isPadded(record[key])) report(paddedIssue([field, key]));
  }
}

function isPadded(value: unknown): boolean {
  return typeof value === 'string' && value.trim().length !== value.length;
}

function paddedIssue(path: Path): FieldIssue {
  return {
    severity: 'warning',
    path,
    message: 'has blanks around its value',
    hint: 'Remove them, unless they are meant',
  };
}

/** `{ name: value }`, or nothing: an absent field stays absent instead of becoming undefined. */
export function defined<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}

/** An own field only: an entry named or fielded like something on Object.prototype inherits nothing. */
function own(raw: RawEntry, name: string): unknown {
  return Object.hasOwn(raw, name) ? raw[name] : undefined;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === '') return 'an empty string';
  if (typeof value === 'string' || typeof value === 'object')
    return typeof value === 'string' ? 'a string' : 'an object';
  return JSON.stringify(value) ?? typeof value;
}
