import { unreachable } from '../../base/never.js';
import { shorten } from '../../base/shorten.js';
import type { ObjectType, Scalar, SchemaType } from './schema-type.js';
import { docComment, propertyName, stringLiteral } from './source-text.js';

/** The names of types that refer to themselves, by id. */
export type TypeNames = ReadonlyMap<number, string>;

/** A type as TypeScript over several lines, with descriptions as comments. `indent`: that of the line it begins on. */
export function typeSource(type: SchemaType, names: TypeNames, indent = ''): string {
  const inner = (one: SchemaType): string => typeSource(one, names, indent);
  switch (type.kind) {
    case 'word':
      return type.word;
    case 'literal':
      return literalText(type.value);
    case 'union':
    case 'all':
      return type.members.map((member) => inBrackets(member, inner(member))).join(SIGNS[type.kind]);
    case 'list':
      return `${inBrackets(type.items, inner(type.items))}[]`;
    case 'tuple':
      return tupleText(type.items.map(inner), `${inBrackets(type.rest, inner(type.rest))}[]`);
    case 'object':
      return objectSource(type, names, indent);
    case 'named':
    case 'self':
      return names.get(type.id) ?? 'unknown';
    default:
      return unreachable(type);
  }
}

const SIGNS = { union: ' | ', all: ' & ' } as const;

/** The body of an interface, or an object type: `{`, one property a line, `}`. */
export function objectSource({ properties, rest }: ObjectType, names: TypeNames, indent: string): string {
  if (properties.length === 0 && rest === undefined) return 'object';
  const inner = `${indent}  `;
  const lines = properties.flatMap(({ name, type, isOptional, description }) => [
    ...docComment(description, inner),
    `${inner}${propertyName(name)}${isOptional ? '?' : ''}: ${typeSource(type, names, inner)};`,
  ]);
  const open = rest === undefined ? [] : [`${inner}[name: string]: ${typeSource(rest, names, inner)};`];
  return ['{', ...lines, ...open, `${indent}}`].join('\n');
}

function tupleText(items: readonly string[], rest: string): string {
  // Items of a tuple may be left out at its end; JSON Schema asks for none of them.
  const all = items.map((item) => `(${item})?`);
  return `[${[...all, ...(rest === 'never[]' ? [] : [`...${rest}`])].join(', ')}]`;
}

/** A union inside an intersection or a list needs brackets; so does an intersection inside a list. */
function inBrackets({ kind }: SchemaType, text: string): string {
  return kind === 'union' || kind === 'all' ? `(${text})` : text;
}

function literalText(value: Scalar): string {
  return typeof value === 'string' ? stringLiteral(value) : String(value);
}

/** A type on one line, for a person: long choices, deep objects and many properties are cut with `…`. */
export function shortType(type: SchemaType, depth = SHORT_DEPTH): string {
  switch (type.kind) {
    case 'word':
      return type.word;
    case 'literal':
      return typeof type.value === 'string' ? stringLiteral(shorten(type.value, SHORT_TEXT)) : String(type.value);
    case 'union':
      return cutList(type.members, { limit: SHORT_CHOICES, separator: ' | ' }, (one) =>
        inBrackets(one, shortType(one, depth)),
      );
    case 'all':
      return cutList(type.members, { limit: SHORT_PARTS, separator: ' & ' }, (one) =>
        inBrackets(one, shortType(one, depth)),
      );
    case 'list':
      return `${inBrackets(type.items, shortType(type.items, depth))}[]`;
    case 'tuple':
      return `[${cutList(type.items, { limit: SHORT_PARTS, separator: ', ' }, (one) => shortType(one, depth))}]`;
    case 'object':
      return shortObject(type, depth);
    case 'named':
      return shortType(type.type, depth);
    case 'self':
      return 'unknown';
    default:
      return unreachable(type);
  }
}

function shortObject({ properties, rest }: ObjectType, depth: number): string {
  if (depth === 0 || (properties.length === 0 && rest === undefined)) return 'object';
  if (properties.length === 0) return `{ [name: string]: ${shortType(rest!, depth - 1)} }`;
  const inner = cutList(
    properties,
    { limit: SHORT_PARTS, separator: ', ' },
    ({ name, type, isOptional }) =>
      `${propertyName(shorten(name, SHORT_TEXT))}${isOptional ? '?' : ''}: ${shortType(type, depth - 1)}`,
  );
  return `{ ${inner} }`;
}

/** The items as text, the first `limit` of them. */
function cutList<Item>(
  items: readonly Item[],
  { limit, separator }: { readonly limit: number; readonly separator: string },
  toText: (item: Item) => string,
): string {
  const shown = items.slice(0, limit).map(toText);
  return [...shown, ...(items.length > limit ? ['…'] : [])].join(separator);
}

const SHORT_DEPTH = 2;
const SHORT_CHOICES = 8;
const SHORT_PARTS = 6;
const SHORT_TEXT = 40; // characters of a name or a choice
