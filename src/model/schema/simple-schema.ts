import { isObject, type JsonObject } from '../../base/json.js';

/**
 * A schema of the kind that most tools have: types, properties, lists of texts, simple bounds. Compared with `prepareSchema`,
 * a value is checked with a few functions and without memory: it only says that a value surely fits.
 */
export interface SimpleSchema {
  readonly types: number;
  readonly texts: readonly unknown[] | undefined;
  readonly bounds: Bounds | undefined;
  readonly names: readonly string[];
  /** The schemas of `names`. */
  readonly parts: readonly SimpleSchema[];
  readonly required: readonly string[];
  /** Whether an object may have no other properties. */
  readonly isClosed: boolean;
  readonly item: SimpleSchema | undefined;
}

/** The least and the most length or value, for values of one type. */
interface Bounds {
  readonly type: number;
  readonly least: number;
  readonly most: number;
}

/** The schema in this form; undefined where it says anything else. */
export function toSimpleSchema(schema: unknown): SimpleSchema | undefined {
  const { $schema, ...rest } = isObject(schema) ? schema : {};
  return isObject(schema) && ($schema === undefined || DIALECTS.has($schema))
    ? read(rest, { left: NODES }, 0)
    : undefined;
}

/** The number of values looked at if the value surely fits, 0 otherwise. */
export function fitsSimply(schema: SimpleSchema, value: unknown): number {
  const looked = fits(schema, value, 0);
  return looked > LOOKED_AT ? 0 : looked;
}

/** The number of values looked at so far; more than `LOOKED_AT`: the value does not fit, or is too large. */
function fits(schema: SimpleSchema, value: unknown, before: number): number {
  const looked = before + 1;
  if (looked > LOOKED_AT) return looked;
  const type = typeOf(value);
  const { types, texts, bounds } = schema;
  if ((types & type) === 0 || (texts !== undefined && !texts.includes(value))) return NOT;
  if (bounds !== undefined && !isWithin(bounds, type, value)) return NOT;
  if (type === OBJECT) return fitsObject(schema, value as JsonObject, looked);
  return type === ARRAY ? fitsList(schema, value as readonly unknown[], looked) : looked;
}

function typeOf(value: unknown): number {
  if (typeof value === 'string') return STRING;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : NUMBER;
  if (typeof value === 'boolean') return BOOLEAN;
  if (typeof value !== 'object') return 0;
  return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT;
}

function isWithin({ type: bounded, least, most }: Bounds, type: number, value: unknown): boolean {
  if ((bounded & type) === 0) return true;
  if (typeof value === 'number') return value >= least && value <= most;
  const { length } = value as string | readonly unknown[];
  // A character has one or two code units.
  return (typeof value === 'string' ? length >= 2 * least : length >= least) && length <= most;
}

function fitsList({ item }: SimpleSchema, value: readonly unknown[], before: number): number {
  let looked = before;
  if (item === undefined) return looked;
  for (let at = 0; at < value.length && looked <= LOOKED_AT; at++) looked = fits(item, value[at], looked);
  return looked;
}

function fitsObject(schema: SimpleSchema, value: JsonObject, before: number): number {
  const { names, parts, required, isClosed } = schema;
  let looked = before;
  let present = 0;
  for (let at = 0; at < names.length && looked <= LOOKED_AT; at++) {
    const name = names[at]!;
    if (!has(value, name)) continue;
    present++;
    looked = fits(parts[at]!, value[name], looked);
  }
  for (let at = 0; at < required.length; at++) if (!has(value, required[at]!)) return NOT;
  return isClosed && Object.keys(value).length !== present ? NOT : looked;
}

/** JSON omits undefined values, so they count as missing. */
function has(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function read(schema: unknown, room: { left: number }, depth: number): SimpleSchema | undefined {
  if (schema === true) return ANYTHING;
  if (!isObject(schema) || depth > DEPTH || --room.left < 0) return undefined;
  for (const keyword of Object.keys(schema)) if (!KNOWN.has(keyword)) return undefined;
  const { type, enum: texts, properties = {}, required = [], additionalProperties = true, items } = schema;
  const types = type === undefined ? ANY : bitsOf(type);
  if (types === undefined || (texts !== undefined && !isTexts(texts)) || !isTexts(required)) return undefined;
  if (typeof additionalProperties !== 'boolean' || !isObject(properties)) return undefined;
  const bounds = boundsOf(schema);
  const item = items === undefined ? undefined : read(items, room, depth + 1);
  if (bounds === 'unknown' || (items !== undefined && item === undefined)) return undefined;
  const names = Object.keys(properties);
  const parts: SimpleSchema[] = [];
  for (const name of names) {
    const part = read(properties[name], room, depth + 1);
    if (!part) return undefined;
    parts.push(part);
  }
  return { types, texts, bounds, names, parts, required, isClosed: !additionalProperties, item };
}

function bitsOf(type: unknown): number | undefined {
  let bits = 0;
  for (const name of Array.isArray(type) ? (type as readonly unknown[]) : [type]) {
    const bit = TYPES.get(name);
    if (bit === undefined) return undefined;
    bits |= bit;
  }
  return bits;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= TEXTS && value.every((text) => typeof text === 'string');
}

/** The bounds of the schema; unknown where they are of several types, or no numbers. */
function boundsOf(schema: JsonObject): Bounds | undefined | 'unknown' {
  const found = BOUNDS.filter(({ from, to }) => schema[from] !== undefined || schema[to] !== undefined);
  const [only] = found;
  if (!only) return undefined;
  const { [only.from]: least = -Infinity, [only.to]: most = Infinity } = schema;
  if (found.length > 1 || typeof least !== 'number' || typeof most !== 'number') return 'unknown';
  return { type: only.type, least, most };
}

const NULL = 1;
const BOOLEAN = 2;
const OBJECT = 4;
const ARRAY = 8;
const INTEGER = 16;
const NUMBER = 32; // one with a fraction
const STRING = 64;
const ANY = 127;

const TYPES: ReadonlyMap<unknown, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['integer', INTEGER],
  ['number', INTEGER | NUMBER],
  ['string', STRING],
]);

const BOUNDS = [
  { from: 'minLength', to: 'maxLength', type: STRING },
  { from: 'minItems', to: 'maxItems', type: ARRAY },
  { from: 'minimum', to: 'maximum', type: INTEGER | NUMBER },
] as const;
const ASSERTIONS = ['type', 'enum', 'properties', 'required', 'additionalProperties', 'items'];
/** They fail no value. */
const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
];
const KNOWN: ReadonlySet<string> = new Set([
  ...ASSERTIONS,
  ...ANNOTATIONS,
  ...BOUNDS.flatMap(({ from, to }) => [from, to]),
]);
const DIALECTS: ReadonlySet<unknown> = new Set([
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
]);

const ANYTHING: SimpleSchema = {
  types: ANY,
  texts: undefined,
  bounds: undefined,
  names: [],
  parts: [],
  required: [],
  isClosed: false,
  item: undefined,
};
const NODES = 500;
const DEPTH = 16;
const TEXTS = 100; // of a list that is searched for each value
const LOOKED_AT = 1_000; // values; a check of more has to count what it spends
const NOT = LOOKED_AT + 1;
