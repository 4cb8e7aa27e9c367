import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import { bareVariableIn, type Environment, expandText, variablesIn } from './expand.js';
import { toFieldPath } from '../problem.js';

/** The fields in which variables are expanded. Not `headersHelper`: a shell expands it. */
const expandable = ['command', 'args', 'env', 'url', 'headers', 'cwd', 'tls', 'proxyUrl', 'oauth'];

export interface ExpandedEntry {
  readonly entry: RawEntry;
  readonly missing: readonly { readonly variable: string; readonly path: readonly (string | number)[] }[];
}

/** The entry with its variables expanded; the same object when it has none. */
export function expandEntry(raw: RawEntry, environment: Environment): ExpandedEntry {
  const missing: { variable: string; path: readonly (string | number)[] }[] = [];
  const entry = mapStrings(raw, (text, path) => {
    const expansion = expandText(text, environment);
    for (const variable of expansion.missing) missing.push({ variable, path });
    return expansion.text;
  });
  return { entry, missing };
}

/** Every variable that an entry uses, with the field, for display in an approval. */
export function variablesOf(raw: RawEntry): { readonly variable: string; readonly field: string }[] {
  const found: { variable: string; field: string }[] = [];
  mapStrings(raw, (text, path) => {
    for (const variable of variablesIn(text)) found.push({ variable, field: toFieldPath(path) });
    return text;
  });
  return found;
}

/** Uses of `$NAME`, which is not expanded: legal, but often a mistake. */
export function bareVariablesOf(raw: RawEntry): { readonly variable: string; readonly field: string }[] {
  const found: { variable: string; field: string }[] = [];
  mapStrings(raw, (text, path) => {
    const variable = bareVariableIn(text);
    if (variable !== undefined) found.push({ variable, field: toFieldPath(path) });
    return text;
  });
  return found;
}

/**
 * The entry in a form whose URLs can be checked before all variables are set: a stand-in replaces each missing one. A
 * URL that starts with a missing variable is `unknown`. `https://user@host/${X}` stays wrong, whatever X is.
 */
export function toCheckable({ entry, missing }: ExpandedEntry): {
  readonly entry: RawEntry;
  readonly unknown: readonly string[];
} {
  const fields = [...new Set(missing.map(({ path }) => String(path[0])))].filter(
    (field) => typeof entry[field] === 'string',
  );
  const unknown = fields.filter((field) => String(entry[field]).startsWith('${'));
  const standIns = fields.map((field): [string, unknown] => [
    field,
    String(entry[field]).replaceAll(/\$\{[^}]*\}/gu, STAND_IN),
  ]);
  return { entry: { ...entry, ...Object.fromEntries(standIns) }, unknown };
}

const STAND_IN = '8080'; // valid as a host, a port and a part of a path

type MapString = (text: string, path: readonly (string | number)[]) => string;

function mapStrings(raw: RawEntry, map: MapString): RawEntry {
  let copy: Record<string, unknown> | undefined;
  for (const field of expandable) {
    // Nearly every entry has no variable; then nothing is copied.
    if (!Object.hasOwn(raw, field) || !hasDollar(raw[field])) continue;
    const mapped = mapValue(raw[field], map, [field]);
    if (mapped !== raw[field]) {
      copy ??= { ...raw };
      copy[field] = mapped;
    }
  }
  return copy ?? raw;
}

function hasDollar(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('$');
  if (value === null || typeof value !== 'object') return false;
  for (const key in value) {
    if (Object.hasOwn(value, key) && hasDollar((value as RawEntry)[key])) return true;
  }
  return false;
}

function mapValue(value: unknown, map: MapString, path: readonly (string | number)[]): unknown {
  if (typeof value === 'string') return value.includes('$') ? map(value, path) : value;
  if (Array.isArray(value)) {
    const mapped = value.map((element, index) => mapValue(element, map, [...path, index]));
    return mapped.some((element, index) => element !== value[index]) ? mapped : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const mapped = entries.map(([key, element]): [string, unknown] => [key, mapValue(element, map, [...path, key])]);
  return mapped.some(([, element], index) => element !== entries[index]![1]) ? Object.fromEntries(mapped) : value;
}
