// JSON Schema as a TypeScript type: what a value looks like, not every rule for it (minimum, pattern, not, if).
import { isObject, type JsonObject } from '../../base/json.js';
import { isOld, SchemaDocument, type SchemaNode } from '../schema/document.js';
import { Fuel } from '../schema/fuel.js';

/** A type that can be printed as TypeScript. */
export type SchemaType =
  | { readonly kind: 'word'; readonly word: TypeWord }
  | { readonly kind: 'literal'; readonly value: Scalar }
  | { readonly kind: 'union' | 'all'; readonly members: readonly SchemaType[] }
  | { readonly kind: 'list'; readonly items: SchemaType }
  | { readonly kind: 'tuple'; readonly items: readonly SchemaType[]; readonly rest: SchemaType }
  | ObjectType
  /** A type that refers to itself inside, by `self` with the same id. */
  | { readonly kind: 'named'; readonly id: number; readonly type: SchemaType }
  | { readonly kind: 'self'; readonly id: number };

export interface ObjectType {
  readonly kind: 'object';
  readonly properties: readonly PropertyType[];
  /** The type of properties that are not listed; undefined: there are none. */
  readonly rest: SchemaType | undefined;
}

export interface PropertyType {
  readonly name: string;
  readonly type: SchemaType;
  readonly isOptional: boolean;
  readonly description: string;
}

export type TypeWord = 'string' | 'number' | 'boolean' | 'null' | 'unknown' | 'never';
export type Scalar = string | number | boolean | null;

/**
 * The type of a server's schema. Never throws, and ends after a bounded number of parts: what is nested too deep, is
 * nothing but itself or leads nowhere is `unknown`.
 */
export function toSchemaType(schema: unknown): SchemaType {
  try {
    return new Conversion(schema).run();
  } catch {
    return UNKNOWN; // out of fuel, or out of stack
  }
}

export const UNKNOWN: SchemaType = { kind: 'word', word: 'unknown' };
const NEVER: SchemaType = { kind: 'word', word: 'never' };

const PART_LIMIT = 3_000; // parts of one schema; real ones have some hundreds
const DEPTH_LIMIT = 16;
const PROPERTY_LIMIT = 300; // of one object
const CHOICE_LIMIT = 200; // of one enum; a longer one becomes the type of its values
const ALTERNATIVE_LIMIT = 500; // a compiler refuses intersections of many large unions
const REFERENCE_FUEL = 500_000; // units

class Conversion {
  readonly #document: SchemaDocument;
  readonly #fuel = new Fuel(REFERENCE_FUEL);
  /** The schemas around the current one, to notice one that refers to itself. */
  readonly #open = new Map<unknown, OpenSchema>();
  #parts = 0;
  #ids = 0;
  /** How many objects and arrays are around the current schema. */
  #structures = 0;

  constructor(schema: unknown) {
    this.#document = new SchemaDocument(schema);
  }

  run(): SchemaType {
    return this.#convert(this.#document.root);
  }

  #convert(node: SchemaNode): SchemaType {
    const { schema } = node;
    if (schema === false) return NEVER;
    if (!isObject(schema)) return UNKNOWN;
    const around = this.#open.get(schema);
    if (around) return this.#selfOf(around);
    if (++this.#parts > PART_LIMIT || this.#open.size >= DEPTH_LIMIT) return UNKNOWN;
    const opened: OpenSchema = { structures: this.#structures, id: undefined };
    this.#open.set(schema, opened);
    const found = this.#convertOpen(schema, node);
    this.#open.delete(schema);
    const type: SchemaType = opened.id === undefined ? found : { kind: 'named', id: opened.id, type: found };
    return schema['nullable'] === true ? unionOf([type, { kind: 'word', word: 'null' }]) : type;
  }

  /** A type may refer to itself only inside an object or an array. */
  #selfOf(around: OpenSchema): SchemaType {
    if (around.structures === this.#structures) return UNKNOWN;
    around.id ??= ++this.#ids;
    return { kind: 'self', id: around.id };
  }

  #convertOpen(schema: JsonObject, node: SchemaNode): SchemaType {
    const { $ref } = schema;
    const parts: SchemaType[] = [];
    if (typeof $ref === 'string') {
      const target = this.#document.resolve($ref, node.resource, this.#fuel);
      parts.push(target ? this.#convert(target) : UNKNOWN);
      if (isOld(node.resource.dialect)) return parts[0]!;
    }
    parts.push(this.#own(schema, node));
    for (const keyword of ['anyOf', 'oneOf']) {
      const list = schema[keyword];
      if (Array.isArray(list) && list.length > 0) parts.push(unionOf(this.#list(list, node)));
    }
    const { allOf } = schema;
    if (Array.isArray(allOf)) parts.push(...this.#list(allOf, node));
    return allOfTypes(parts);
  }

  #list(list: readonly unknown[], node: SchemaNode): SchemaType[] {
    if (list.length > ALTERNATIVE_LIMIT) return [UNKNOWN];
    return list.map((schema) => this.#child(schema, node));
  }

  #child(schema: unknown, { resource }: SchemaNode): SchemaType {
    return this.#convert(this.#document.child(schema, resource, this.#fuel));
  }

  /** A schema of what an object or an array holds. */
  #inner(schema: unknown, node: SchemaNode): SchemaType {
    this.#structures++;
    const type = this.#child(schema, node);
    this.#structures--;
    return type;
  }

  /** What const, enum and type say, without references and combinations. */
  #own(schema: JsonObject, node: SchemaNode): SchemaType {
    const { const: only, enum: choices, type } = schema;
    if (only !== undefined) return isScalar(only) ? literal(only) : UNKNOWN;
    if (Array.isArray(choices) && choices.length > 0) return choiceType(choices);
    if (Array.isArray(type)) {
      return type.length === 0 ? UNKNOWN : unionOf(type.slice(0, 10).map((one) => this.#typed(one, schema, node)));
    }
    return this.#typed(type ?? impliedType(schema), schema, node);
  }

  #typed(type: unknown, schema: JsonObject, node: SchemaNode): SchemaType {
    switch (type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return { kind: 'word', word: type };
      case 'integer':
        return { kind: 'word', word: 'number' };
      case 'array':
        return this.#array(schema, node);
      case 'object':
        return this.#object(schema, node);
      default:
        return UNKNOWN;
    }
  }

  #array({ items, prefixItems, additionalItems }: JsonObject, node: SchemaNode): SchemaType {
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const others = Array.isArray(items) ? additionalItems : items;
    const rest = others === undefined ? UNKNOWN : this.#inner(others, node);
    if (first.length === 0 || first.length > PROPERTY_LIMIT) return { kind: 'list', items: rest };
    return { kind: 'tuple', items: first.map((schema: unknown) => this.#inner(schema, node)), rest };
  }

  #object(schema: JsonObject, node: SchemaNode): ObjectType {
    const { properties, required, additionalProperties, patternProperties, unevaluatedProperties } = schema;
    const needed = new Set<unknown>(Array.isArray(required) ? required.slice(0, PROPERTY_LIMIT) : []);
    const listed = isObject(properties) ? Object.entries(properties).slice(0, PROPERTY_LIMIT) : [];
    const found = listed.map(([name, property]): PropertyType => {
      const description = isObject(property) ? property['description'] : undefined;
      return {
        name,
        type: this.#inner(property, node),
        isOptional: !needed.delete(name),
        description: typeof description === 'string' ? description : '',
      };
    });
    const unlisted = [...needed].filter((name) => typeof name === 'string');
    const others = unlisted.map((name) => ({ name, type: UNKNOWN, isOptional: false, description: '' }));
    const all = [...found, ...others];
    const open = additionalProperties ?? unevaluatedProperties;
    const isOpen = open === undefined ? properties === undefined && all.length === 0 : open !== false;
    // Listed properties must fit the type of the others, so beside them only `unknown` is sure to be right.
    const isTyped = all.length === 0 && isObject(open) && !isObject(patternProperties);
    const rest = isTyped ? this.#inner(open, node) : isOpen || isObject(patternProperties) ? UNKNOWN : undefined;
    return { kind: 'object', properties: all, rest };
  }
}

interface OpenSchema {
  readonly structures: number;
  /** Set once the schema refers to itself. */
  id: number | undefined;
}

/** The type that the other keywords are about, where `type` is missing. */
function impliedType({ properties, required, additionalProperties, items, prefixItems }: JsonObject): string {
  if (isObject(properties) || isObject(additionalProperties) || Array.isArray(required)) return 'object';
  return items !== undefined || Array.isArray(prefixItems) ? 'array' : '';
}

function choiceType(choices: readonly unknown[]): SchemaType {
  if (!choices.slice(0, CHOICE_LIMIT).every(isScalar)) return UNKNOWN;
  if (choices.length <= CHOICE_LIMIT) return unionOf(choices.filter(isScalar).map(literal));
  return choices.every((one) => typeof one === 'string') ? { kind: 'word', word: 'string' } : UNKNOWN;
}

/** A number that no source can write (1e999 is Infinity) is just a number. */
function literal(value: Scalar): SchemaType {
  if (value === null) return { kind: 'word', word: 'null' };
  if (typeof value === 'number' && !Number.isFinite(value)) return { kind: 'word', word: 'number' };
  return { kind: 'literal', value };
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function unionOf(types: readonly SchemaType[]): SchemaType {
  const members = new Map<unknown, SchemaType>();
  for (const type of types.flatMap((one) => (one.kind === 'union' ? one.members : [one]))) {
    if (type.kind === 'word' && type.word === 'unknown') return UNKNOWN;
    if (type.kind !== 'word' || type.word !== 'never') members.set(keyOf(type), type);
  }
  const [first] = members.values();
  if (members.size > ALTERNATIVE_LIMIT) return UNKNOWN;
  return members.size > 1 ? { kind: 'union', members: [...members.values()] } : (first ?? NEVER);
}

/** Words and literals that are equal are one member; other types are compared by identity. */
function keyOf(type: SchemaType): unknown {
  if (type.kind === 'word') return type.word;
  return type.kind === 'literal' ? JSON.stringify(type.value) : type;
}

function allOfTypes(types: readonly SchemaType[]): SchemaType {
  const known = types.filter((type) => !isUnknown(type));
  // How many alternatives a type has that is still being read is not known.
  const members = known.length > 1 ? known.filter(({ kind }) => kind !== 'self') : known;
  if (members.some((type) => type.kind === 'word' && type.word === 'never')) return NEVER;
  const [first] = members;
  if (first === undefined) return UNKNOWN;
  if (members.length === 1) return first;
  const isTooMuch = members.reduce((product, type) => product * alternatives(type), 1) > ALTERNATIVE_LIMIT;
  return isTooMuch ? UNKNOWN : { kind: 'all', members };
}

function isUnknown(type: SchemaType): boolean {
  return type.kind === 'word' && type.word === 'unknown';
}

function alternatives(type: SchemaType): number {
  if (type.kind === 'named') return alternatives(type.type);
  if (type.kind === 'union') return type.members.reduce((sum, member) => sum + alternatives(member), 0);
  if (type.kind === 'all') return type.members.reduce((product, member) => product * alternatives(member), 1);
  return 1;
}

/** The part of a type that is an object, as the arguments of a tool are; any object where there is none. */
export function toObjectType(type: SchemaType): SchemaType {
  return objectPart(type) ?? { kind: 'object', properties: [], rest: UNKNOWN };
}

function objectPart(type: SchemaType): SchemaType | undefined {
  if (type.kind === 'object') return type;
  if (type.kind === 'named') {
    const part = objectPart(type.type);
    return part === type.type ? type : part;
  }
  if (type.kind !== 'union' && type.kind !== 'all') return undefined;
  const members = type.members.flatMap((member) => objectPart(member) ?? []);
  if (members.length === type.members.length && members.every((one, at) => one === type.members[at])) return type;
  const [first] = members;
  return members.length > 1 ? { kind: type.kind, members } : first;
}

/** The properties of an object type, whatever it is made of: those of all alternatives together. */
export function propertiesOf(type: SchemaType): ObjectType {
  if (type.kind === 'object') return type;
  if (type.kind === 'named') return propertiesOf(type.type);
  if (type.kind !== 'union' && type.kind !== 'all') return { kind: 'object', properties: [], rest: UNKNOWN };
  const parts = type.members.filter((member) => member.kind !== 'word').map(propertiesOf);
  const found = new Map<string, PropertyType[]>();
  for (const { properties } of parts) {
    for (const property of properties) {
      const same = found.get(property.name);
      if (same) same.push(property);
      else found.set(property.name, [property]);
    }
  }
  const properties = Array.from(found.values(), (same): PropertyType => {
    const needed = same.filter(({ isOptional }) => !isOptional).length;
    const types = same.map((one) => one.type);
    const isUnion = type.kind === 'union';
    return {
      name: same[0]!.name,
      type: isUnion ? unionOf(types) : allOfTypes(types),
      isOptional: isUnion ? needed < parts.length : needed === 0,
      description: same.find(({ description }) => description !== '')?.description ?? '',
    };
  });
  const isListed = properties.length > 0;
  const isOpen = parts.length === 0 || parts.some((part) => part.rest !== undefined && (!isListed || hasOwn(part)));
  return { kind: 'object', properties, rest: isOpen ? UNKNOWN : undefined };
}

/** An alternative without properties, such as `{ required: [...] }`, says nothing about others. */
function hasOwn({ properties }: ObjectType): boolean {
  return properties.length > 0;
}

/** All named types in a type, outermost first. */
export function namedTypes(type: SchemaType): readonly Extract<SchemaType, { readonly kind: 'named' }>[] {
  switch (type.kind) {
    case 'named':
      return [type, ...namedTypes(type.type)];
    case 'union':
    case 'all':
      return type.members.flatMap(namedTypes);
    case 'list':
      return namedTypes(type.items);
    case 'tuple':
      return [...type.items.flatMap(namedTypes), ...namedTypes(type.rest)];
    case 'object':
      return [...type.properties.flatMap((one) => namedTypes(one.type)), ...(type.rest ? namedTypes(type.rest) : [])];
    default:
      return [];
  }
}
