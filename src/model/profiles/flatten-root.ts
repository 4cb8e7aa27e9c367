import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { JsonSchema } from '../tool.js';
import { joinAlternatives, joinBoth, joinMaps } from './join-schemas.js';
import type { References } from './references.js';
import type { Repairs } from './repairs.js';

export type Flattened =
  /** `forms`: a sentence for the description about alternatives that were merged into one object. */
  | { readonly kind: 'object'; readonly schema: JsonSchema; readonly forms: string | undefined }
  | { readonly kind: 'aside'; readonly reason: string };

/**
 * A tool's input as one plain object: no API takes oneOf, anyOf, allOf or $ref at the root. What fits the original fits
 * the result; the result accepts more, and the server checks. Returned as the same object if it is one already.
 */
export function flattenRoot(root: JsonSchema, references: References, repairs: Repairs): Flattened {
  const words = MIXERS.filter((word) => root[word] !== undefined);
  const mixed = words.length === 0 ? ({ shape: undefined, forms: [] } as const) : mix(root, references, 0);
  if (mixed === undefined) return { kind: 'aside', reason: 'Its input cannot be an object, whichever form is chosen' };
  const flat = mixed.shape === undefined ? root : withShape(root, mixed.shape);
  if (words.length > 0) repairs.add(`${words.join(', ')} at the root became one object with all properties`);
  const typed = toObjectType(flat, repairs);
  if (typed === undefined)
    return { kind: 'aside', reason: `Its input is of type ${toWord(root['type'])}, and has to be an object` };
  return { kind: 'object', schema: typed, forms: toForms(mixed.forms) };
}

const MIXERS = ['$ref', 'allOf', 'oneOf', 'anyOf'] as const;

/** What flattening keeps of a branch; the server checks the rest. */
interface Shape {
  readonly properties: JsonSchema;
  readonly required: readonly string[];
  /** No other properties may be given. */
  readonly isClosed: boolean;
}

interface Mixed {
  readonly shape: Shape;
  /** The shape of each alternative; empty without alternatives. */
  readonly forms: readonly Shape[];
}

/** Returns undefined when no object can fit. */
function mix(schema: JsonSchema, references: References, depth: number): Mixed | undefined {
  if (depth > DEPTH || !mayBeObject(schema)) return undefined;
  let shape = shapeOf(schema);
  let forms: readonly Shape[] = [];
  const needed = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly unknown[]) : [];
  for (const branch of schema['$ref'] === undefined ? needed : [{ $ref: schema['$ref'] }, ...needed]) {
    const inner = mixBranch(branch, references, depth);
    if (inner === undefined) return undefined;
    shape = both(shape, inner.shape);
    if (inner.forms.length > 0) forms = inner.forms;
  }
  for (const word of ['oneOf', 'anyOf'] as const) {
    const list = schema[word];
    if (!Array.isArray(list)) continue;
    const branches = list.slice(0, BRANCHES).map((branch) => mixBranch(branch, references, depth));
    const possible = branches.flatMap((branch) => (branch === undefined ? [] : [branch.shape]));
    if (possible.length === 0) return undefined;
    shape = both(shape, possible.reduce(either));
    if (possible.length > 1) forms = possible;
  }
  return { shape, forms };
}

function mixBranch(branch: unknown, references: References, depth: number): Mixed | undefined {
  if (branch === true) return { shape: ANY, forms: [] };
  if (!isObject(branch)) return undefined;
  const { $ref: reference, ...rest } = branch;
  if (typeof reference !== 'string') return mix(branch, references, depth + 1);
  const target = references.resolve(reference);
  if (target === false) return undefined;
  // An unresolvable or circular reference restricts nothing.
  const found = isObject(target) && depth < DEPTH ? mix(target, references, depth + 1) : { shape: ANY, forms: [] };
  const beside = mix(rest, references, depth + 1);
  if (found === undefined || beside === undefined) return undefined;
  return {
    shape: both(found.shape, beside.shape),
    forms: beside.forms.length > 0 ? beside.forms : found.forms,
  };
}

function shapeOf(schema: JsonSchema): Shape {
  const { properties, required } = schema;
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? (required as readonly string[]) : [],
    isClosed: schema['additionalProperties'] === false,
  };
}

function both(one: Shape, other: Shape): Shape {
  return {
    properties: joinMaps(one.properties, other.properties, joinBoth),
    required: [...new Set([...one.required, ...other.required])],
    // Closed parts of an allOf would exclude each other's properties, which no author means.
    isClosed: (one.isClosed && hasNone(other.properties)) || (other.isClosed && hasNone(one.properties)),
  };
}

function either(one: Shape, other: Shape): Shape {
  return {
    properties: joinMaps(one.properties, other.properties, joinAlternatives),
    required: one.required.filter((name) => other.required.includes(name)),
    isClosed: one.isClosed && other.isClosed,
  };
}

function hasNone(properties: JsonSchema): boolean {
  return Object.keys(properties).length === 0;
}

function withShape(root: JsonSchema, shape: Shape): JsonSchema {
  const { $ref: _ref, allOf: _all, oneOf: _one, anyOf: _any, required: _, additionalProperties, ...rest } = root;
  return {
    ...rest,
    type: 'object',
    properties: shape.properties,
    ...(shape.required.length > 0 && { required: shape.required }),
    // A schema for additional properties stays; a plain `false` was about the properties of one part only.
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(shape.isClosed && { additionalProperties: false }),
  };
}

function mayBeObject({ type }: JsonSchema): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Sets `type: "object"`; undefined when the type excludes objects. */
function toObjectType(schema: JsonSchema, repairs: Repairs): JsonSchema | undefined {
  if (schema['type'] === 'object') return schema;
  if (!mayBeObject(schema)) return undefined;
  repairs.add(schema['type'] === undefined ? 'type: "object" was missing' : 'type is "object" alone now');
  const { type: _, ...rest } = schema;
  return { type: 'object', ...rest };
}

function toWord(type: unknown): string {
  return shorten(Array.isArray(type) ? type.slice(0, 7).map(String).join(' or ') : String(type), 80);
}

function toForms(forms: readonly Shape[]): string | undefined {
  if (forms.length < 2) return undefined;
  const told = forms.slice(0, FORMS).map((form, index) => `(${index + 1}) ${toForm(form)}`);
  const more = forms.length > FORMS ? `; and ${forms.length - FORMS} more` : '';
  return `The input has one of these forms: ${told.join('; ')}${more}.`;
}

function toForm({ properties, required }: Shape): string {
  const names = Object.keys(properties);
  if (names.length === 0) return required.length > 0 ? `${toNames(required, String)} given` : 'anything';
  return toNames(names, (name) => {
    const property = properties[name];
    const value = isObject(property) ? property['const'] : undefined;
    const fixed = typeof value === 'string' || typeof value === 'number' ? ` = ${JSON.stringify(value)}` : '';
    return `${name}${fixed}${required.includes(name) ? '' : ' (optional)'}`;
  });
}

function toNames(names: readonly string[], toText: (name: string) => string): string {
  const told = names.slice(0, NAMES).map((name) => shorten(toText(name), NAME));
  return names.length > NAMES ? `${told.join(', ')} and ${names.length - NAMES} more` : told.join(', ');
}

const ANY: Shape = { properties: {}, required: [], isClosed: false };
const DEPTH = 8; // nested alternatives; a reference back to the root ends here
const BRANCHES = 100;
const FORMS = 8;
const NAMES = 10;
const NAME = 60;
