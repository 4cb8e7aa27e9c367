import { isObject } from '../base/json.js';
import { nearest } from '../base/nearest.js';
import { unreachable } from '../base/never.js';
import { Secret } from '../base/secret.js';
import { type FieldTable, fitsShape, type Shape } from '../model/fields/shape.js';
import { gateUrl, type Scheme } from '../model/urls/url-gate.js';
import { COMMON_FIELDS, REMOTE_FIELDS } from './entry-fields.js';
import { meantField, missingHint, urlHint, valueHint } from './field-hints.js';
import type { Read } from './field-values.js';
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

type Reader = (fields: Fields, name: string) => unknown;

/** A reader of all fields of a table. Absent fields stay absent instead of becoming undefined. */
export function readerOf<Table extends FieldTable>(table: Table): (fields: Fields) => Read<Table> {
  return untypedReader(table) as (fields: Fields) => Read<Table>;
}

/** The same for a table that is not known to the compiler. */
export function untypedReader(table: FieldTable): (fields: Fields) => RawEntry {
  const readers = Object.entries(table).map(([name, { shape }]) => [name, toReader(shape)] as const);
  return (fields) => {
    // Skips the table for most entries, which have few of these fields: a configuration may hold a thousand entries.
    const written = readers.filter(([name]) => Object.hasOwn(fields.raw, name));
    const read = written.map(([name, one]) => [name, one(fields, name)] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
  };
}

function toReader(shape: Shape): Reader {
  switch (shape.kind) {
    case 'text':
      return shape.isSecret === true ? readSecret : readString;
    case 'flag':
      return readBoolean;
    case 'number':
      return integer(shape.min, shape.max);
    case 'word':
      return word(shape.words);
    case 'list':
      return readStrings;
    case 'map':
      return readSecrets;
    case 'object':
      return readPart(shape.fields);
    case 'either':
      return readEither(shape);
    case 'exactly':
      return (fields, name) => own(fields.raw, name);
    default:
      return unreachable(shape);
  }
}

/** A reader by the first shape that the value could be meant as: `true` as a flag, an array as a list. */
function readEither({ of, expected }: Extract<Shape, { readonly kind: 'either' }>): Reader {
  const readers = of.map((shape) => ({ shape, read: toReader(shape) }));
  return (fields, name) => {
    const value = own(fields.raw, name);
    const meant = readers.find(({ shape }) => (shape.kind === 'list' ? Array.isArray(value) : fitsShape(shape, value)));
    return value === undefined || meant ? meant?.read(fields, name) : wrong(fields, [name], expected, value);
  };
}

export function readString(fields: Fields, name: string): string | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'string' ? value : wrong(fields, [name], 'a string', value);
}

function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = own(fields.raw, name);
  return value === undefined || typeof value === 'boolean' ? value : wrong(fields, [name], 'true or false', value);
}

/** A reader of a whole number from `min` to `max`. */
function integer(min: number, max: number) {
  return (fields: Fields, name: string): number | undefined => {
    const value = own(fields.raw, name);
    if (value === undefined) return undefined;
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    return fits ? value : wrong(fields, [name], `a whole number from ${min} to ${max}`, value);
  };
}

function word(words: readonly string[]): Reader {
  return (fields, name) => {
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

export const readCommon: (fields: Fields) => CommonConfig = readerOf(COMMON_FIELDS);
const readRemoteFields = readerOf(REMOTE_FIELDS);

/** Reads all fields of a remote server's entry except its type. */
export function readRemote(raw: RawEntry, report: Report): RemoteConfig {
  const fields: Fields = { raw, report, base: [] };
  const headers = readSecrets(fields, 'headers') ?? {};
  for (const name of Object.keys(headers)) checkHeader(name, headers[name]!.reveal(), report);
  return { ...readCommon(fields), url: requireString(fields, 'url'), headers, ...toRemote(readRemoteFields(fields)) };
}

/** OAuth itself writes `scopes` as one string separated by blanks. Both are accepted. */
function toRemote({ oauth, ...rest }: Read<typeof REMOTE_FIELDS>): Omit<RemoteConfig, 'url' | 'headers'> {
  if (!oauth) return rest;
  const { scopes, ...others } = oauth;
  if (typeof scopes !== 'string') return { ...rest, oauth: { ...others, ...defined('scopes', scopes) } };
  return { ...rest, oauth: { ...others, scopes: scopes.split(/\s+/u).filter(Boolean) } };
}

/** A reader of a nested object of the entry. */
function readPart(table: FieldTable): Reader {
  const read = untypedReader(table);
  const known = Object.keys(table);
  return (fields, name) => {
    const raw = readObject(fields, name);
    if (!raw) return undefined;
    const { report } = fields;
    reportUnknown(raw, known, report, [name]);
    return read({ raw, report, base: [name] });
  };
}

function readSecret(fields: Fields, name: string): Secret | undefined {
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
