// https://json-schema.org/draft/2020-12/schema, by which APIs validate a tool's schema, and forms of older drafts.
import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import type { JsonSchema } from '../tool.js';
import { type KeywordKind, keywordKindOf } from './keywords.js';
import { mapSchema } from './map-schema.js';
import { type Repairs, toPlace } from './repairs.js';

/** The schema with every keyword in the form of draft 2020-12. A sound one is returned as the same object. */
export function toSoundSchema(schema: JsonSchema, repairs: Repairs): JsonSchema {
  return mapSchema(schema, { before: (value, path) => toSoundNode(value, path, repairs) }) as JsonSchema;
}

function toSoundNode(value: unknown, path: readonly string[], repairs: Repairs): unknown {
  if (typeof value === 'boolean') return value;
  if (!isObject(value)) {
    repairs.add(`${toPlace(path)} was no schema: anything fits there now`);
    return {};
  }
  const schema = modernise(value, path, repairs);
  let entries: [string, unknown][] | undefined;
  for (const [index, keyword] of Object.keys(schema).entries()) {
    const before = schema[keyword];
    const kind = keywordKindOf(keyword);
    const after = kind === undefined || before === undefined ? before : toSoundValue(kind, before);
    if (after !== before) {
      const what = after === undefined ? 'left out' : 'put right';
      repairs.add(`${keyword} of ${toPlace(path)} is not what JSON Schema 2020-12 takes, and was ${what}`);
      entries ??= Object.entries(schema).slice(0, index);
    }
    if (after !== undefined) entries?.push([keyword, after]);
  }
  return entries === undefined ? schema : Object.fromEntries(entries);
}

/** The value in its keyword's form: unchanged, repaired, or undefined when it cannot be repaired. */
function toSoundValue(kind: KeywordKind, value: unknown): unknown {
  switch (kind) {
    case 'schema':
      // Any other value is repaired when it is visited itself.
      return Array.isArray(value) ? undefined : value;
    case 'schemas':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'map':
    case 'dependencies':
      return isObject(value) ? value : undefined;
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? value : undefined;
    case 'pattern-map':
      return toPatternMap(value);
    case 'anchor':
      return typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) ? value : undefined;
    case 'id':
      return typeof value === 'string' && /^[^#]*#?$/.test(value) ? value : undefined;
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'multiple':
      return typeof value === 'number' && value > 0 ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'strings':
      return toStrings(value);
    case 'string-map':
      return toStringMap(value);
    case 'list':
      return Array.isArray(value) ? value : undefined;
    case 'type':
      return toType(value);
    default:
      return unreachable(kind);
  }
}

function toStrings(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = [...new Set(value.filter((one): one is string => typeof one === 'string'))];
  return strings.length === value.length ? value : strings;
}

function toStringMap(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  let changed = false;
  const entries = Object.entries(value).flatMap(([key, before]): [string, unknown][] => {
    const after = toStrings(before);
    if (after !== before) changed = true;
    return after === undefined ? [] : [[key, after]];
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** Whether a text is a regular expression, with or without the flag `u`. It is only compiled here, never run. */
function isPattern(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(text, flags) instanceof RegExp;
    } catch {
      return false; // not a regular expression
    }
  });
}

function toPatternMap(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const sound = entries.filter(([pattern]) => isPattern(pattern));
  return sound.length === entries.length ? value : Object.fromEntries(sound);
}

function toType(value: unknown): unknown {
  if (typeof value === 'string') return toTypeName(value);
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set(value.map(toTypeName).filter((name) => name !== undefined))];
  if (names.length === 0) return undefined;
  return names.length === value.length && names.every((name, index) => name === value[index]) ? value : names;
}

/** Some servers write STRING; "any" and a programming language's type names say nothing. */
function toTypeName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (TYPES.has(value)) return value;
  const lower = value.toLowerCase();
  return TYPES.has(lower) ? lower : undefined;
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** Rewrites forms of drafts 3 to 7: tuples, exclusive limits, and `required` at the property itself. */
function modernise(schema: JsonSchema, path: readonly string[], repairs: Repairs): JsonSchema {
  let modern = schema;
  if (Array.isArray(schema['items'])) {
    modern = toPrefixItems(schema, schema['items']);
    repairs.add(`items of ${toPlace(path)} is a list, which is prefixItems now`);
  }
  for (const [exclusive, plain] of EXCLUSIVE) {
    if (typeof modern[exclusive] !== 'boolean') continue;
    const { [exclusive]: isExclusive, [plain]: limit, ...rest } = modern;
    modern = { ...rest, ...(limit !== undefined && { [isExclusive === true ? exclusive : plain]: limit }) };
    repairs.add(`${exclusive} of ${toPlace(path)} was written as in draft 4`);
  }
  const needed = requiredWithin(modern['properties']);
  if (needed.length > 0) {
    const own = Array.isArray(modern['required']) ? (modern['required'] as readonly unknown[]) : [];
    modern = { ...modern, required: [...new Set([...own, ...needed])] };
    repairs.add(`required stood at the properties of ${toPlace(path)}, and is a list now`);
  }
  return modern;
}

function toPrefixItems(schema: JsonSchema, tuple: readonly unknown[]): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'items')
      return tuple.length === 0 || schema['prefixItems'] !== undefined ? [] : [['prefixItems', tuple]];
    return [[keyword === 'additionalItems' ? 'items' : keyword, value]];
  });
  return Object.fromEntries(entries);
}

function requiredWithin(properties: unknown): string[] {
  if (!isObject(properties)) return [];
  const names: string[] = [];
  for (const name of Object.keys(properties)) {
    const property = properties[name];
    if (isObject(property) && property['required'] === true) names.push(name);
  }
  return names;
}

const EXCLUSIVE = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;
