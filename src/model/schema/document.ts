// Identifiers and references of JSON Schema: 2020-12 core sections 8.2 and 9, and what 2019-09, draft-07 and draft-04 do differently.
import { parseUrl } from '../../base/parse-url.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { KEYWORDS } from '../profiles/keywords.js';
import type { Fuel } from './fuel.js';
import type { Plan } from './run.js';

export type SchemaDialect = 'draft-04' | 'draft-07' | '2019-09' | '2020-12';

/** A schema with its own URI: the whole document, or a part with an $id. */
export interface Resource {
  readonly base: string;
  readonly root: unknown;
  /** Undefined when $schema names an unknown dialect. */
  readonly dialect: SchemaDialect | undefined;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** One schema within the document; its plan is made at its first use. */
export interface SchemaNode {
  readonly schema: unknown;
  readonly resource: Resource;
  plan: Plan | undefined;
}

/**
 * The subschemas of one schema of a server. Nothing is read before it is needed, and nothing is ever fetched: a
 * reference leads to a place in the document, or nowhere.
 */
export class SchemaDocument {
  readonly root: SchemaNode;
  readonly #nodes = new Map<object, SchemaNode>();
  readonly #resources = new Map<string, Resource>();
  #scanned = false;

  constructor(schema: unknown) {
    const dialect = isObject(schema) ? dialectOf(schema, '2020-12') : '2020-12';
    const base = (isObject(schema) ? ownAddress(schema, NOWHERE, dialect) : undefined) ?? NOWHERE;
    const resource = { base, root: schema, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(base, resource);
    this.root = { schema, resource, plan: undefined };
    if (isObject(schema)) this.#nodes.set(schema, this.root);
  }

  /** A schema inside another. Throws `OutOfFuel`. */
  child(schema: unknown, parent: Resource, fuel: Fuel): SchemaNode {
    if (!isObject(schema)) return { schema, resource: parent, plan: undefined };
    if (hasAddress(schema, parent.dialect)) this.#scan(fuel);
    return this.#node(schema, parent);
  }

  /** The target of a reference, resolved against `from`; undefined when it is outside this document. */
  resolve(reference: string, from: Resource, fuel: Fuel): SchemaNode | undefined {
    fuel.spend(ADDRESS_COST + (reference.length >> 2));
    const { address, fragment } = split(reference);
    if (fragment === undefined) return undefined;
    const isPointer = fragment === '' || fragment.startsWith('/');
    if (address !== '' || !isPointer) this.#scan(fuel);
    const base = address === '' ? from.base : resolveAddress(address, from.base);
    const resource = base === undefined ? undefined : this.#resources.get(base);
    if (resource === undefined) return undefined;
    return isPointer ? this.#follow(fragment, resource, fuel) : resource.anchors.get(fragment);
  }

  #follow(pointer: string, start: Resource, fuel: Fuel): SchemaNode | undefined {
    let resource = start;
    let value = start.root;
    for (const token of pointer.split('/').slice(1)) {
      fuel.spend(1);
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as JsonObject)[key];
      if (isObject(value)) resource = this.child(value, resource, fuel).resource;
    }
    return this.child(value, resource, fuel);
  }

  #node(schema: JsonObject, resource: Resource): SchemaNode {
    let node = this.#nodes.get(schema);
    if (node === undefined) {
      node = { schema, resource, plan: undefined };
      this.#nodes.set(schema, node);
    }
    return node;
  }

  /** Finds all $ids and anchors, once, and only where a schema may stand: an enum may hold anything. */
  #scan(fuel: Fuel): void {
    if (this.#scanned) return;
    const seen = new Set<unknown>();
    const pending: { schema: unknown; parent: Resource }[] = [{ schema: this.root.schema, parent: this.root.resource }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      fuel.spend(SCAN_COST);
      const { schema, parent } = next;
      if (!isObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      const resource = schema === this.root.schema ? parent : this.#resourceOf(schema, parent, fuel);
      this.#anchor(schema, this.#node(schema, resource));
      for (const inner of subschemas(schema)) pending.push({ schema: inner, parent: resource });
    }
    this.#scanned = true;
  }

  #resourceOf(schema: JsonObject, parent: Resource, fuel: Fuel): Resource {
    const dialect = dialectOf(schema, parent.dialect);
    if (hasAddress(schema, dialect)) fuel.spend(ADDRESS_COST);
    const base = ownAddress(schema, parent.base, dialect);
    if (base === undefined) return parent;
    const known = this.#resources.get(base);
    if (known?.root === schema) return known; // an earlier scan ran out of fuel
    const resource = { base, root: schema, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    if (known === undefined) this.#resources.set(base, resource);
    return resource;
  }

  #anchor(schema: JsonObject, node: SchemaNode): void {
    const { anchors, dynamicAnchors, dialect } = node.resource;
    const { $anchor, $dynamicAnchor } = schema;
    const id = idOf(schema, dialect);
    if (typeof $anchor === 'string') anchors.set($anchor, node);
    if (typeof $dynamicAnchor === 'string') {
      anchors.set($dynamicAnchor, node);
      dynamicAnchors.set($dynamicAnchor, node);
    }
    if (isOld(dialect) && typeof id === 'string' && /^#./.test(id)) anchors.set(id.slice(1), node);
  }
}

/** The dialects in which $ref allows no siblings and $id may be an anchor. */
export function isOld(dialect: SchemaDialect | undefined): boolean {
  return dialect === 'draft-04' || dialect === 'draft-07';
}

const NOWHERE = 'schema://tool/'; // a base for relative references; nothing is ever fetched from there
const SCAN_COST = 30; // units for each schema scanned
const ADDRESS_COST = 400; // units; a URI is parsed and resolved

const DIALECTS: readonly (readonly [name: RegExp, dialect: SchemaDialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, 'draft-07'],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, 'draft-04'],
  [/^https?:\/\/json-schema\.org\/schema#?$/, '2020-12'],
];

function dialectOf(schema: JsonObject, inherited: SchemaDialect | undefined): SchemaDialect | undefined {
  const name = schema['$schema'];
  if (typeof name !== 'string' || name.length > ADDRESS_LIMIT) return name === undefined ? inherited : undefined;
  return DIALECTS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Undefined when a schema has no URI of its own. */
function ownAddress(schema: JsonObject, base: string, dialect: SchemaDialect | undefined): string | undefined {
  return hasAddress(schema, dialect) ? resolveAddress(split(idOf(schema, dialect) as string).address, base) : undefined;
}

function hasAddress(schema: JsonObject, dialect: SchemaDialect | undefined): boolean {
  const id = idOf(schema, dialect);
  if (typeof id !== 'string' || id.startsWith('#') || id.length > ADDRESS_LIMIT) return false;
  return !isOld(dialect) || schema['$ref'] === undefined;
}

function idOf(schema: JsonObject, dialect: SchemaDialect | undefined): unknown {
  return schema[dialect === 'draft-04' ? 'id' : '$id'];
}

function resolveAddress(address: string, base: string): string | undefined {
  if (address.length > ADDRESS_LIMIT) return undefined;
  return parseUrl(address, base)?.href;
}

const ADDRESS_LIMIT = 2_048; // characters; a longer base would make all URIs below it long

function split(reference: string): { address: string; fragment: string | undefined } {
  const hash = reference.indexOf('#');
  if (hash < 0) return { address: reference, fragment: '' };
  try {
    return { address: reference.slice(0, hash), fragment: decodeURIComponent(reference.slice(hash + 1)) };
  } catch {
    return { address: reference.slice(0, hash), fragment: undefined }; // an invalid percent-encoding leads nowhere
  }
}

// Sorted alphabetically: of two schemas with the same $id or anchor the first one found counts.
const HOLDS_ONE = KEYWORDS.schema.toSorted();
const HOLDS_LIST = [...KEYWORDS.schemas, 'items'].toSorted();
const HOLDS_MAP = [...KEYWORDS.map, ...KEYWORDS['pattern-map'], ...KEYWORDS.dependencies].toSorted();

function subschemas(schema: JsonObject): unknown[] {
  const found: unknown[] = HOLDS_ONE.map((keyword) => schema[keyword]);
  for (const keyword of HOLDS_LIST) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const inner of list) found.push(inner);
  }
  for (const keyword of HOLDS_MAP) {
    const map = schema[keyword];
    if (isObject(map)) for (const inner of Object.values(map)) found.push(inner);
  }
  return found.filter((inner) => isObject(inner));
}
