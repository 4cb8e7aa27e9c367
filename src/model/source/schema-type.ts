import { unreachable } from '../../base/never.js';

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

export const UNKNOWN: SchemaType = { kind: 'word', word: 'unknown' };
export const NEVER: SchemaType = { kind: 'word', word: 'never' };

export const ALTERNATIVE_LIMIT = 500; // a compiler refuses intersections of many large unions

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** One of these types. */
export function unionOf(types: readonly SchemaType[]): SchemaType {
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

/** All of these types at once. */
export function allOfTypes(types: readonly SchemaType[]): SchemaType {
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
    case 'word':
    case 'literal':
    case 'self':
      return [];
    default:
      return unreachable(type);
  }
}
