import { isObject } from '../base/json.js';
import { nearest } from '../base/nearest.js';
import { Secret } from '../base/secret.js';
import { OAUTH_GRANTS } from '../model/oauth-settings.js';
import { gateUrl, type Scheme } from '../model/urls/url-gate.js';
import { CALL_TIMEOUT_MIN, meantField, missingHint, urlHint, valueHint } from './field-hints.js';
import type { CommonConfig, FieldIssue, RawEntry, RemoteConfig } from './kind.js';

type Report = (issue: FieldIssue) => void;
type Path = readonly (string | number)[];

/** An object read field by field. A reader returns the value, or undefined after reporting what was expected. */
export interface Fields {
  readonly raw: RawEntry;
  readonly report: Report;
  /** The path from the entry to this object. */
  readonly base: Path;
}

/** The reader of each field of an object. */
export type FieldTable = { readonly [name: string]: (fields: Fields, name: string) => unknown };
export type Read<T extends FieldTable> = { readonly [Name in keyof T]?: Exclude<ReturnType<T[Name]>, undefined> };

/** Reads all fields of a table. Absent fields stay absent instead of becoming undefined. */
export function readFieldTable<T extends FieldTable>(table: T, fields: Fields): Read<T> {
  const read = Object.entries(table).map(([name, one]) => [name, one(fields, name)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Read<T>;
}

export function readString(fields: Fields, name: string): string | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'string' ? value : wrong(fields, [name], 'a string', value);
}

export function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'boolean' ? value : wrong(fields, [name], 'true or false', value);
}

/** A reader of a whole number from `min` to `max`. */
export function integer(min: number, max: number) {
  return (fields: Fields, name: string): number | undefined => {
    const value = own(fields.raw, name);
    if (value === undefined) return undefined;
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    return fits ? value : wrong(fields, [name], `a whole number from ${min} to ${max}`, value);
  };
}

function word<const Word extends string>(...words: readonly Word[]) {
  return (fields: Fields, name: string): Word | undefined => {
    const value = own(fields.raw, name);
    if (value === undefined) return undefined;
    const found = words.find((one) => one === value);
    if (found !== undefined) return found;
    const [close] = typeof value === 'string' ? nearest(value, words) : [];
    const message = `expected one of ${words.map((one) => `"${one}"`).join(', ')}, got ${describe(value)}`;
    const hint = close === undefined ? {} : { hint: `Did you mean "${close}"?` };
    fields.report({ severity: 'error', path: [...fields.base, name], message, ...hint });
    return undefined;
  };
}

function readObject(fields: Fields, name: string): RawEntry | undefined {
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

/** Reads an object of strings and wraps each as a `Secret`, since any of them may be one. */
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

const CALL_TIMEOUT_MAX = 2_147_483_647; // ms; the longest delay of a Node timer

const COMMON = {
  timeout: integer(CALL_TIMEOUT_MIN, CALL_TIMEOUT_MAX),
  startTimeout: integer(CALL_TIMEOUT_MIN, CALL_TIMEOUT_MAX),
  trust: readBoolean,
  alwaysLoad: readBoolean,
  disabled: readBoolean,
  includeTools: readStrings,
  excludeTools: readStrings,
  start: word('eager', 'lazy'),
  era: word('auto', 'legacy', 'modern'),
  roots: readRoots,
};

export const commonFields: readonly string[] = ['type', ...Object.keys(COMMON)];

export function readCommon(fields: Fields): CommonConfig {
  // Skips the table for most entries, which have none of these fields: a configuration may hold a thousand entries.
  return Object.keys(COMMON).some((name) => Object.hasOwn(fields.raw, name)) ? readFieldTable(COMMON, fields) : {};
}

function readRoots(fields: Fields, name: string): false | readonly string[] | undefined {
  const value = own(fields.raw, name);
  if (value === false) return false;
  if (value === undefined || Array.isArray(value)) return readStrings(fields, name);
  return wrong(fields, [name], 'false, or an array of folders', value);
}

const OAUTH = {
  clientId: readString,
  clientSecret: readSecret,
  clientMetadataUrl: readString,
  callbackPort: integer(1, 65_535),
  scopes: readScopes,
  authServerMetadataUrl: readString,
  xaa: readBoolean,
  grant: word(...OAUTH_GRANTS),
  privateKey: readSecret,
  signingAlgorithm: readString,
  assertion: readSecret,
  dpop: readBoolean,
  allowMissingPkce: readBoolean,
  allowIssuerMismatch: readBoolean,
};
const TLS = { ca: readString, cert: readString, key: readString };
const REMOTE = { headersHelper: readString, oauth: readPart(OAUTH), xaa: readBoolean, tls: readPart(TLS) };

export const remoteFields: readonly string[] = [...commonFields, 'url', 'headers', ...Object.keys(REMOTE)];

/** Reads all fields of a remote server's entry except its type. */
export function readRemote(raw: RawEntry, report: Report): RemoteConfig {
  const fields: Fields = { raw, report, base: [] };
  const headers = readSecrets(fields, 'headers') ?? {};
  for (const name of Object.keys(headers)) checkHeader(name, headers[name]!.reveal(), report);
  return { ...readCommon(fields), url: requireString(fields, 'url'), headers, ...readFieldTable(REMOTE, fields) };
}

/** A reader of a nested object of the entry. */
function readPart<T extends FieldTable>(table: T) {
  return (fields: Fields, name: string): Read<T> | undefined => {
    const raw = readObject(fields, name);
    if (!raw) return undefined;
    const { report } = fields;
    reportUnknown(raw, Object.keys(table), report, [name]);
    return readFieldTable(table, { raw, report, base: [name] });
  };
}

/** `scopes` is a list here; OAuth itself writes one string separated by blanks. Both are accepted. */
function readScopes(fields: Fields, name: string): readonly string[] | undefined {
  const value = own(fields.raw, name);
  return typeof value === 'string' ? value.split(/\s+/u).filter(Boolean) : readStrings(fields, name);
}

export function readSecret(fields: Fields, name: string): Secret | undefined {
  const text = readString(fields, name);
  return text === undefined ? undefined : new Secret(text);
}

/** Checks the URL of a remote server after variables are expanded. A user may name any address, but not any scheme. */
export function checkUrl(url: string, schemes: readonly Scheme[], report: Report): void {
  const verdict = gateUrl(url, { from: 'user', purpose: 'fetch', schemes });
  if (!verdict.ok) {
    const hint = urlHint(url, verdict.code, schemes);
    report({ severity: 'error', path: ['url'], message: verdict.reason, hint });
  } else if (verdict.warnings.includes('plain-http')) {
    const message = 'the connection is not encrypted: others can read all that is sent there';
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

/** Reads a required string. Reports a missing or empty one, and returns "" for a missing one. */
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

function missing({ raw, report }: Fields, name: string): void {
  report({ severity: 'error', path: [], message: `"${name}" is missing`, hint: missingHint(raw, name) });
}

/** Warns about unknown fields, so that a typo is noticed. They stay in the file. */
export function reportUnknown(raw: RawEntry, known: readonly string[], report: Report, base: Path = []): void {
  for (const field of Object.keys(raw)) {
    if (known.includes(field)) continue;
    const foreign = meantField(field);
    const meant = foreign !== undefined && known.includes(foreign) ? foreign : nearest(field, known)[0];
    report({
      severity: 'warning',
      path: [...base, field],
      message: 'unknown field; Plugboard ignores it and leaves it in the file',
      ...(meant !== undefined && { hint: `Did you mean "${meant}"?` }),
    });
  }
}

/** Warns about blanks and line ends around a value: they are copied by accident and invisible. */
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
    message: 'has spaces around its value',
    hint: 'Remove them, unless you mean them',
  };
}

/** `{ name: value }`, or `{}` when the value is undefined. */
export function defined<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}

/** Reads own properties only, so that a field named like a member of Object.prototype is not inherited. */
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
