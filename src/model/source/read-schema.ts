// JSON Schema as a TypeScript type: what a value looks like, not every rule for it (minimum, pattern, not, if).
import { isObject, type JsonObject } from '../../base/json.js';
import { isOld, SchemaDocument, type SchemaNode } from '../schema/document.js';
import { Fuel } from '../schema/fuel.js';
import {
  allOfTypes,
  ALTERNATIVE_LIMIT,
  isScalar,
  NEVER,
  type ObjectType,
  type PropertyType,
  type Scalar,
  type SchemaType,
  unionOf,
  UNKNOWN,
} from './schema-type.js';

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

const PART_LIMIT = 3_000; // parts of one schema; real ones have some hundreds
const DEPTH_LIMIT = 16;
const PROPERTY_LIMIT = 300; // of one object
const CHOICE_LIMIT = 200; // of one enum; a longer one becomes the type of its values
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
