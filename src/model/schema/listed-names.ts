import { isObject, type JsonObject } from '../../base/json.js';
import { SchemaDocument, type SchemaNode } from './document.js';
import { Fuel } from './fuel.js';
import { Pattern } from './pattern.js';

/** What a schema says about names: those that some `properties` of it lists, and whether it takes others. */
export type ListedNames =
  | { readonly kind: 'listed'; readonly names: ReadonlySet<string>; readonly takes: (name: string) => boolean }
  /** The schema takes any name, or cannot be read to the end. */
  | { readonly kind: 'open'; readonly unread?: string };

/**
 * The names that an object may have by a server's schema. JSON Schema allows every name that is not forbidden; for a
 * person a name that is not listed is a typing error, so here the schema must state `additionalProperties` to allow it.
 * A schema without any `properties` takes every object, as the specification of MCP says of tools. Never throws.
 */
export function listPropertyNames(schema: unknown): ListedNames {
  const fuel = new Fuel(FUEL);
  const names = new Set<string>();
  const patterns: Pattern[] = [];
  let isClosed = false;
  try {
    const document = new SchemaDocument(schema);
    const seen = new Set<unknown>();
    const pending: SchemaNode[] = [document.root];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      fuel.spend(NODE_COST);
      const { schema: one, resource } = node;
      if (!isObject(one) || seen.has(one)) continue;
      seen.add(one);
      if (isOpen(one)) return { kind: 'open' };
      if ('$dynamicRef' in one || '$recursiveRef' in one) return { kind: 'open', unread: 'it has a dynamic reference' };
      const { $ref, properties, patternProperties, additionalProperties } = one;
      if (isObject(properties)) {
        isClosed = true;
        for (const name of Object.keys(properties)) names.add(name);
        fuel.spend(names.size);
      }
      if (additionalProperties === false) isClosed = true;
      for (const source of isObject(patternProperties) ? Object.keys(patternProperties) : []) {
        isClosed = true;
        patterns.push(new Pattern(source, fuel));
      }
      if (typeof $ref === 'string') {
        const target = document.resolve($ref, resource, fuel);
        if (!target) return { kind: 'open', unread: 'a reference of it leads nowhere' };
        pending.push(target);
      }
      for (const inner of inPlace(one)) pending.push(document.child(inner, resource, fuel));
    }
  } catch {
    return { kind: 'open', unread: 'it is too large, too deep, or has a pattern that cannot be read' };
  }
  return isClosed ? { kind: 'listed', names, takes } : { kind: 'open' };

  function takes(name: string): boolean {
    if (names.has(name)) return true;
    const left = new Fuel(FUEL);
    try {
      return patterns.some((pattern) => pattern.matches(name, left));
    } catch {
      return true; // undecided: the server decides
    }
  }
}

function isOpen({ additionalProperties: others, unevaluatedProperties: rest }: JsonObject): boolean {
  return (others !== undefined && others !== false) || (rest !== undefined && rest !== false);
}

/** The subschemas that are about the same object. */
function inPlace(schema: JsonObject): unknown[] {
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword): unknown[] => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : [];
  });
  const maps = ['dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const map = schema[keyword];
    return isObject(map) ? Object.values(map) : [];
  });
  return [...lists, ...maps, schema['if'], schema['then'], schema['else']];
}

const FUEL = 2_000_000; // units: some tens of milliseconds
const NODE_COST = 30; // units
