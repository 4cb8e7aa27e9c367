import { nearest } from '../base/nearest.js';
import { Secret } from '../base/secret.js';
import { gateUrl, type Scheme } from '../model/url-gate.js';
import type { CommonConfig, FieldIssue, OAuthConfig, RawEntry, RemoteConfig } from './kind.js';

export const commonFields = [
  'type',
  'timeout',
  'trust',
  'alwaysLoad',
  'disabled',
  'includeTools',
  'excludeTools',
  'start',
  'era',
] as const;
export const remoteFields = [...commonFields, 'url', 'headers', 'headersHelper', 'oauth', 'xaa', 'tls'] as const;

const oauthFields = ['clientId', 'clientSecret', 'callbackPort', 'scopes', 'authServerMetadataUrl', 'xaa'];
const tlsFields = ['ca', 'cert', 'key'];

/** Words of other hosts for a field of ours; a plain typo is found by its likeness instead. */
const foreignFields: Readonly<Record<string, string>> = {
  serverUrl: 'url',
  httpUrl: 'url',
  uri: 'url',
  cmd: 'command',
  environment: 'env',
  envs: 'env',
  transport: 'type',
  http_headers: 'headers',
  workingDirectory: 'cwd',
};

type Report = (issue: FieldIssue) => void;
type Path = readonly (string | number)[];

/** Typed views of a raw object: each gives the value, or undefined and a report of what was expected. */
export interface Fields {
  string(name: string): string | undefined;
  boolean(name: string): boolean | undefined;
  integer(name: string, range: { readonly min: number; readonly max: number }): number | undefined;
  oneOf<const Word extends string>(name: string, words: readonly Word[]): Word | undefined;
  strings(name: string): readonly string[] | undefined;
  record(name: string): Readonly<Record<string, string>> | undefined;
  object(name: string): RawEntry | undefined;
  has(name: string): boolean;
}

export function readFields(raw: RawEntry, report: Report, base: Path = []): Fields {
  const wrong = (path: Path, expected: string, value: unknown): undefined => {
    report({ severity: 'error', path: [...base, ...path], message: `expected ${expected}, got ${describe(value)}` });
  };
  const read = <T>(name: string, expected: string, accept: (value: unknown) => T | undefined): T | undefined => {
    const value = own(raw, name);
    if (value === undefined) return undefined;
    return accept(value) ?? wrong([name], expected, value);
  };
  return {
    has: (name) => own(raw, name) !== undefined,
    string: (name) => read(name, 'a string', (value) => (typeof value === 'string' ? value : undefined)),
    boolean: (name) => read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    integer: (name, { min, max }) =>
      read(name, `a whole number from ${min} to ${max}`, (value) =>
        Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? (value as number) : undefined,
      ),
    oneOf: (name, words) =>
      read(name, `one of ${words.map((word) => `"${word}"`).join(', ')}`, (value) =>
        words.find((word) => word === value),
      ),
    object: (name) => read(name, 'an object', (value) => (isObject(value) ? value : undefined)),
    strings: (name) => {
      const value = own(raw, name);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) return wrong([name], 'an array of strings', value);
      const odd = value.findIndex((element) => typeof element !== 'string');
      return odd === -1 ? (value as string[]) : wrong([name, odd], 'a string', value[odd]);
    },
    record: (name) => {
      const value = own(raw, name);
      if (value === undefined) return undefined;
      if (!isObject(value)) return wrong([name], 'an object of strings', value);
      const odd = Object.keys(value).find((key) => typeof value[key] !== 'string');
      return odd === undefined ? (value as Record<string, string>) : wrong([name, odd], 'a string', value[odd]);
    },
  };
}

const CALL_TIMEOUT_MAX = 2_147_483_647; // a timer cannot wait longer
const CALL_TIMEOUT_MIN = 1000; // below a second it is seconds that were meant

export function readCommon(fields: Fields): CommonConfig {
  return {
    ...defined('timeout', fields.integer('timeout', { min: CALL_TIMEOUT_MIN, max: CALL_TIMEOUT_MAX })),
    ...defined('trust', fields.boolean('trust')),
    ...defined('alwaysLoad', fields.boolean('alwaysLoad')),
    ...defined('disabled', fields.boolean('disabled')),
    ...defined('includeTools', fields.strings('includeTools')),
    ...defined('excludeTools', fields.strings('excludeTools')),
    ...defined('start', fields.oneOf('start', ['eager', 'lazy'])),
    ...defined('era', fields.oneOf('era', ['auto', 'legacy', 'modern'])),
  };
}

/** A server behind a URL: everything but its type. */
export function readRemote(raw: RawEntry, report: Report): RemoteConfig {
  const fields = readFields(raw, report);
  const url = fields.string('url');
  if (!fields.has('url')) missing(raw, 'url', report);
  else if (url !== undefined && url.trim() === '') {
    report({ severity: 'error', path: ['url'], message: 'is empty: this server is not configured yet' });
  }
  const headers = fields.record('headers') ?? {};
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value, report);
  return {
    ...readCommon(fields),
    url: url ?? '',
    headers: toSecrets(headers),
    ...defined('headersHelper', fields.string('headersHelper')),
    ...defined('oauth', readOAuth(fields.object('oauth'), report)),
    ...defined('xaa', fields.boolean('xaa')),
    ...defined('tls', readTls(fields.object('tls'), report)),
  };
}

function readOAuth(raw: RawEntry | undefined, report: Report): OAuthConfig | undefined {
  if (!raw) return undefined;
  const fields = readFields(raw, report, ['oauth']);
  reportUnknown(raw, oauthFields, report, ['oauth']);
  const secret = fields.string('clientSecret');
  // `scopes` is a list here and one string, separated by blanks, where OAuth itself is spoken; both are written.
  const scopes =
    typeof raw['scopes'] === 'string' ? raw['scopes'].split(/\s+/u).filter(Boolean) : fields.strings('scopes');
  return {
    ...defined('clientId', fields.string('clientId')),
    ...defined('clientSecret', secret === undefined ? undefined : new Secret(secret)),
    ...defined('callbackPort', fields.integer('callbackPort', { min: 1, max: 65_535 })),
    ...defined('scopes', scopes),
    ...defined('authServerMetadataUrl', fields.string('authServerMetadataUrl')),
    ...defined('xaa', fields.boolean('xaa')),
  };
}

function readTls(raw: RawEntry | undefined, report: Report): RemoteConfig['tls'] | undefined {
  if (!raw) return undefined;
  const fields = readFields(raw, report, ['tls']);
  reportUnknown(raw, tlsFields, report, ['tls']);
  return {
    ...defined('ca', fields.string('ca')),
    ...defined('cert', fields.string('cert')),
    ...defined('key', fields.string('key')),
  };
}

/** The URL of a remote server, once its variables are known. A user may name any address, but not any scheme. */
export function checkUrl(url: string, schemes: readonly Scheme[], report: Report): void {
  const verdict = gateUrl(url, { from: 'user', purpose: 'fetch', schemes });
  if (!verdict.ok) {
    report({
      severity: 'error',
      path: ['url'],
      message: verdict.reason,
      hint: `Write ${schemes.join(':// or ')}:// and a host`,
    });
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

/** A field that has to be there and is not; a field that looks like it is what was meant. */
export function missing(raw: RawEntry, name: string, report: Report): void {
  const meant = Object.keys(raw).find((field) => foreignFields[field] === name) ?? nearest(name, Object.keys(raw))[0];
  report({
    severity: 'error',
    path: [],
    message: `"${name}" is missing`,
    hint: meant === undefined ? `Add "${name}"` : `Rename "${meant}" to "${name}"`,
  });
}

/** Fields nobody here knows are kept in the file and told: a typo must not be silent. */
export function reportUnknown(raw: RawEntry, known: readonly string[], report: Report, base: Path = []): void {
  for (const field of Object.keys(raw)) {
    if (known.includes(field)) continue;
    const foreign = Object.hasOwn(foreignFields, field) ? foreignFields[field] : undefined;
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
  const check = (value: unknown, path: Path): void => {
    if (typeof value !== 'string' || value === value.trim()) return;
    report({
      severity: 'warning',
      path,
      message: 'has blanks around its value',
      hint: 'Remove them, unless they are meant',
    });
  };
  for (const field of ['command', 'cwd', 'url']) check(own(raw, field), [field]);
  for (const field of ['env', 'headers']) {
    const record = own(raw, field);
    if (isObject(record)) for (const [key, value] of Object.entries(record)) check(value, [field, key]);
  }
}

export function toSecrets(record: Readonly<Record<string, string>>): Readonly<Record<string, Secret>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, new Secret(value)]));
}

export function isObject(value: unknown): value is RawEntry {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
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
