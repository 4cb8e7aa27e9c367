import { isObject } from '../../base/json.js';
import { http } from '../../transports/http.js';
import type { RawEntry } from '../../transports/kind.js';
import { stdio } from '../../transports/stdio.js';
import type { MappedEntry } from './importer.js';
import { type Dialect, sameVariables } from './variables.js';

/** An entry in the making. A Map, so that a field named `__proto__` is a field. */
export interface Draft {
  readonly fields: Map<string, unknown>;
  readonly lost: Set<string>;
  readonly kept: Set<string>;
}

/** What becomes of one field. Contract: must not throw; a value of the wrong type is kept, and validation names it. */
export type FieldRule = (value: unknown, draft: Draft, field: string) => void;
export type FieldRules = { readonly [field: string]: FieldRule };

/** Field by field into our own words. A field that no rule takes stays as it is. */
export function mapEntry(raw: RawEntry, rules: FieldRules, dialect: Dialect = sameVariables): MappedEntry {
  const draft: Draft = { fields: new Map(), lost: new Set(), kept: new Set() };
  for (const [field, value] of Object.entries(raw)) {
    const rule = Object.hasOwn(rules, field) ? rules[field]! : field === 'type' ? typeFrom({}) : keep;
    rule(value, draft, field);
  }
  for (const field of textFields) {
    if (!draft.fields.has(field)) continue;
    const translated = mapTexts(draft.fields.get(field), (text) =>
      dialect(text, (sentence) => draft.lost.add(sentence)),
    );
    draft.fields.set(field, translated);
  }
  return { entry: Object.fromEntries(draft.fields), lost: [...draft.lost], kept: [...draft.kept] };
}

const ourFields: ReadonlySet<string> = new Set([...stdio.fields, ...http.fields]);
/** Where other hosts fill in variables. */
const textFields = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'];

const keep: FieldRule = (value, draft, field) => {
  if (!ourFields.has(field)) draft.kept.add(field);
  put(draft, field, value);
};

/** Sets a field of ours. The first to come stays, and the other one is named. */
export function put(draft: Draft, field: string, value: unknown, from: string = field): void {
  if (!draft.fields.has(field)) draft.fields.set(field, value);
  else draft.lost.add(`${quote(from)} is left out: "${field}" is already taken`);
}

/** Joins two objects into one field of ours, such as headers that come from three places. */
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

export function lose(why: string): FieldRule {
  return (_value, draft, field) => void draft.lost.add(`${quote(field)} is left out: ${why}`);
}

/** For what only ever repeats the entry's name or tells about it: nothing is lost when it is gone. */
export const forget: FieldRule = () => {};

export const enabled: FieldRule = (value, draft, field) => {
  if (value === true) return;
  put(draft, 'disabled', value === false ? true : value, field);
};

export const secondsToTimeout: FieldRule = (value, draft, field) => {
  put(draft, 'timeout', typeof value === 'number' ? Math.round(value * 1000) : value, field);
};

/** A type word in ours; `words` are the host's own, and a word that means no transport is left as it is. */
export function typeFrom(words: Readonly<Record<string, string>>): FieldRule {
  return (value, draft) => {
    const known: Readonly<Record<string, string>> = { ...streamable, ...words };
    put(draft, 'type', typeof value === 'string' && Object.hasOwn(known, value) ? known[value] : value);
  };
}

const streamable = { streamableHttp: 'http', streamable_http: 'http', 'streamable-http': 'http' };

/** Each text in a value of any shape; the parsers have already bounded how deep it goes. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, mapTexts(element, map)]));
}

/** Names come from a file that anyone may have written: cut, and no control characters. */
export function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
