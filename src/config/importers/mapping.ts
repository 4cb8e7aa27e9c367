import { isObject } from '../../base/json.js';
import { parseUrl } from '../../base/parse-url.js';
import { CALL_TIMEOUT_MIN } from '../../transports/field-hints.js';
import { http } from '../../transports/http/http.js';
import type { RawEntry } from '../../transports/kind.js';
import { stdio } from '../../transports/stdio/stdio.js';
import type { MappedEntry } from './importer.js';
import { type VariableSyntax, sameVariables, type VariableReport } from './variables.js';

/** An entry under construction. A Map, so that a field named `__proto__` is a normal field. */
export interface Draft {
  readonly fields: Map<string, unknown>;
  readonly lost: Set<string>;
  readonly notes: Set<string>;
  readonly kept: Set<string>;
}

/** Maps one field. Contract: must not throw; a value of the wrong type is kept, and validation reports it. */
export type FieldRule = (value: unknown, draft: Draft, field: string) => void;
export type FieldRules = { readonly [field: string]: FieldRule };

/** Maps an entry to our format, field by field. A field without a rule stays as it is. */
export function mapEntry(raw: RawEntry, rules: FieldRules, dialect: VariableSyntax = sameVariables): MappedEntry {
  const draft: Draft = { fields: new Map(), lost: new Set(), notes: new Set(), kept: new Set() };
  for (const [field, value] of Object.entries(raw)) {
    const rule = Object.hasOwn(rules, field) ? rules[field]! : field === 'type' ? typeFrom({}) : keep;
    rule(value, draft, field);
  }
  for (const field of textFields) {
    if (!draft.fields.has(field)) continue;
    const telling = tellingOf(draft, field);
    const translated = mapTexts(draft.fields.get(field), (text) => dialect(text, telling));
    draft.fields.set(field, translated);
  }
  return {
    entry: Object.fromEntries(draft.fields),
    lost: [...draft.lost],
    notes: [...draft.notes],
    kept: [...draft.kept],
  };
}

/** An argument may use a variable that the entry's own `env` sets: the started program expands it itself. */
function tellingOf({ fields, lost, notes }: Draft, field: string): VariableReport {
  const env = field === 'args' ? fields.get('env') : undefined;
  const own = isObject(env) ? env : {};
  return {
    lose: (sentence) => void lost.add(sentence),
    note: (sentence) => void notes.add(sentence),
    isOwn: (name) => Object.hasOwn(own, name),
  };
}

const ourFields: ReadonlySet<string> = new Set([...stdio.fields, ...http.fields]);
/** The fields in which other hosts expand variables. */
const textFields = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'];

const keep: FieldRule = (value, draft, field) => {
  if (!ourFields.has(field)) draft.kept.add(field);
  put(draft, field, value);
};

/** Sets a field of ours. The first value stays; a later one is named in `lost`. */
export function put(draft: Draft, field: string, value: unknown, from: string = field): void {
  if (!draft.fields.has(field)) draft.fields.set(field, value);
  else draft.lost.add(`${quote(from)} is left out: "${field}" is already set`);
}

/** Merges an object into a field of ours, such as headers from three places. */
export function merge(draft: Draft, field: string, value: unknown, from: string): void {
  const before = draft.fields.get(field);
  if (!isObject(before) || !isObject(value)) return put(draft, field, value, from);
  const taken = new Set(Object.keys(before).map((key) => key.toLowerCase()));
  const fresh = Object.entries(value).filter(([key]) => {
    if (taken.has(key.toLowerCase()))
      draft.lost.add(`${quote(`${from}.${key}`)} is left out: "${field}" has it already`);
    return !taken.has(key.toLowerCase());
  });
  draft.fields.set(field, Object.fromEntries([...Object.entries(before), ...fresh]));
}

export function rename(to: string): FieldRule {
  return (value, draft, field) => put(draft, to, value, field);
}

/** Skips `isDefault` values of a field, which mean nothing. */
export function unless(isDefault: (value: unknown) => boolean, rule: FieldRule): FieldRule {
  return (value, draft, field) => (isDefault(value) ? undefined : rule(value, draft, field));
}

/** Whether a value is empty: false, null, an empty list or object. */
export function isNothing(value: unknown): boolean {
  return value === false || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

export function lose(why: string): FieldRule {
  return (_value, draft, field) => void draft.lost.add(`${quote(field)} is left out: ${why}`);
}

/** For fields that only repeat or describe the entry's name: dropping them loses nothing. */
export const forget: FieldRule = () => {};

export const enabled: FieldRule = (value, draft, field) => {
  if (value === true) return;
  put(draft, 'disabled', value === false ? true : value, field);
};

export const secondsToTimeout: FieldRule = (value, draft, field) => {
  timeout(typeof value === 'number' ? value * 1000 : value, draft, field);
};

/** Milliseconds. A timeout below our minimum is raised to it. */
export const timeout: FieldRule = (value, draft, field) => {
  if (typeof value !== 'number') return put(draft, 'timeout', value, field);
  if (value <= 0) return void draft.lost.add(`${quote(field)} is left out: a call cannot wait ${value} ms`);
  const least = Math.max(Math.round(value), CALL_TIMEOUT_MIN);
  if (value < CALL_TIMEOUT_MIN) draft.notes.add(`${quote(field)} is now ${least} ms, the minimum here`);
  return put(draft, 'timeout', least, field);
};

/** The timeout for connecting, in milliseconds. */
export const startTimeout: FieldRule = (value, draft, field) => {
  if (typeof value !== 'number') return put(draft, 'startTimeout', value, field);
  if (value <= 0) return void draft.lost.add(`${quote(field)} is left out: nothing starts within ${value} ms`);
  return put(draft, 'startTimeout', Math.max(Math.round(value), CALL_TIMEOUT_MIN), field);
};

/** Maps an OAuth client to our fields; `words`: the host's names for them. A redirect address is mapped separately. */
export function oauthFrom(words: Readonly<Record<string, string>>): FieldRule {
  return (value, draft, field) => {
    if (!isObject(value)) return put(draft, 'oauth', value, field);
    const fields = Object.entries(value).filter(([, part]) => part !== null);
    for (const [key, part] of fields) {
      const ours = Object.hasOwn(words, key) ? words[key]! : key;
      if (redirects.has(key)) callbackAddress(part, draft, `${field}.${key}`);
      else merge(draft, 'oauth', { [ours]: part }, `${field}.${key}`);
    }
    return undefined;
  };
}

const redirects: ReadonlySet<string> = new Set(['callback_url', 'redirect_uri', 'redirectUri']);

/** The redirect address of a sign-in. Ours has a fixed path on this machine; only the port can be chosen. */
export const callbackAddress: FieldRule = (value, draft, field) => {
  const url = typeof value === 'string' ? parseUrl(value) : undefined;
  const isHere = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!isHere) return void draft.lost.add(`${quote(field)} is left out: the redirect URI of a sign-in is ${CALLBACK}`);
  if (url.port !== '') merge(draft, 'oauth', { callbackPort: Number(url.port) }, field);
  const path = url.pathname === '/callback' && url.hostname === 'localhost';
  if (!path)
    draft.notes.add(`${quote(field)}: the redirect URI of a sign-in is ${CALLBACK}; register that for your client`);
  return undefined;
};

const CALLBACK = 'http://localhost:PORT/callback here';

/** Maps the type; `words`: the host's own names. A word that means no transport stays. */
export function typeFrom(words: Readonly<Record<string, string>>): FieldRule {
  return (value, draft) => {
    const known: Readonly<Record<string, string>> = { ...streamable, ...words };
    put(draft, 'type', typeof value === 'string' && Object.hasOwn(known, value) ? known[value] : value);
  };
}

const streamable = { streamableHttp: 'http', streamable_http: 'http', 'streamable-http': 'http' };

/** Maps every text in a value of any shape; the parsers have bounded its depth. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, mapTexts(element, map)]));
}

/** Maps the texts directly in an object; other values stay, for validation to report. */
export function mapFields(value: unknown, map: (text: string) => string): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, typeof one === 'string' ? map(one) : one]));
}

/** Quotes a name from an untrusted file: cut, without control characters. */
export function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
