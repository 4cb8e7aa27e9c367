// https://json-schema.org/draft/2020-12/json-schema-core
import { isObject, type JsonObject } from '../../base/json.js';

/**
 * An output schema for clients that take structured content only as an object: of other values they get
 * `{ "value": ... }`, and this is the schema of what they get. The same object where it is already one of objects.
 */
export function toWrappedSchema(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema;
  const kinds = kindsOf(schema, { root: schema, left: VISIT_LIMIT });
  // A union of objects needs nothing but the word that says so.
  if (kinds === 'objects') return { ...schema, type: 'object' };
  const { $schema: dialect } = schema;
  const head = { ...(dialect !== undefined && { $schema: dialect }), type: 'object' };
  if (kinds === 'others') return { ...head, ...wrapped(schema, '#/properties/value') };
  // Objects go as they are, other values wrapped, and nobody can tell before which one it will be.
  const place = '#/anyOf/0/properties/value';
  return { ...head, anyOf: [wrapped(schema, place), { $ref: isResource(schema) ? schema['$id'] : place }] };
}

function wrapped(schema: JsonObject, place: string): JsonObject {
  return { properties: { value: moved(schema, place) }, required: ['value'] };
}

/** The schema for another place in a document. A schema with an id of its own keeps its references. */
function moved(schema: JsonObject, place: string): JsonObject {
  if (isResource(schema)) return schema;
  // Both may stand at the root of a document alone.
  const { $schema: _dialect, $recursiveAnchor: _anchor, ...rest } = schema;
  return withPlace(rest, place) as JsonObject;
}

/** References within the document begin at the new place. Anchors are found wherever they are. */
function withPlace(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withPlace(item, place));
  if (!isObject(value) || isResource(value)) return value;
  const result = blank();
  for (const [keyword, child] of Object.entries(value)) {
    if (DATA.has(keyword)) result[keyword] = child;
    else if (BY_NAME.has(keyword) && isObject(child)) result[keyword] = eachWithPlace(child, place);
    else if (REFERENCES.has(keyword) && typeof child === 'string') result[keyword] = movedReference(child, place);
    else if (keyword !== '$recursiveRef') result[keyword] = withPlace(child, place);
  }
  // It means the root, which is another one now. Beside a reference it is a second one.
  if (value['$recursiveRef'] === '#') {
    const all: unknown = result['allOf'];
    if (result['$ref'] === undefined) result['$ref'] = place;
    else result['allOf'] = [...(Array.isArray(all) ? (all as unknown[]) : []), { $ref: place }];
  }
  return result;
}

/** Below these keywords the keys are names that the server chose, not keywords. */
function eachWithPlace(schemas: JsonObject, place: string): JsonObject {
  const result = blank();
  for (const [name, schema] of Object.entries(schemas)) result[name] = withPlace(schema, place);
  return result;
}

/** Takes a key `__proto__` like any other. `JSON.stringify` writes it like any object. */
function blank(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function movedReference(reference: string, place: string): string {
  return LOCAL_POINTER.test(reference) ? place + reference.slice(1) : reference;
}

/** Whether references inside begin at this schema itself. An id that is a fragment only is an anchor. */
function isResource({ $id: id }: JsonObject): boolean {
  return typeof id === 'string' && id !== '' && !id.startsWith('#');
}

interface Search {
  readonly root: JsonObject;
  left: number;
}

/** Which values a schema allows, as far as that can be seen easily; `both` where it cannot. */
function kindsOf(schema: unknown, search: Search): Kinds {
  if (!isObject(schema) || --search.left < 0) return 'both';
  const { type, const: constant, enum: values, $ref: reference } = schema;
  if (typeof type === 'string') return type === 'object' ? 'objects' : 'others';
  if (Array.isArray(type)) return kindsOfAll(type.map((one) => (one === 'object' ? 'objects' : 'others')));
  if (constant !== undefined) return isObject(constant) ? 'objects' : 'others';
  if (Array.isArray(values)) return kindsOfAll(values.map((value) => (isObject(value) ? 'objects' : 'others')));
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const kinds = kindsOfAll(branches.map((branch) => kindsOf(branch, search)));
    if (kinds !== 'both') return kinds;
  }
  const { allOf } = schema;
  // One that all have to fulfil decides.
  for (const part of Array.isArray(allOf) ? (allOf as unknown[]) : []) {
    const kinds = kindsOf(part, search);
    if (kinds !== 'both') return kinds;
  }
  return typeof reference === 'string' ? kindsOf(lookUp(reference, search.root), search) : 'both';
}

type Kinds = 'objects' | 'others' | 'both';

function kindsOfAll(kinds: readonly Kinds[]): Kinds {
  const [first] = kinds;
  return first !== undefined && kinds.every((one) => one === first) ? first : 'both';
}

/** What a JSON Pointer of the same document leads to. */
function lookUp(reference: string, root: JsonObject): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of reference.split('/', POINTER_LIMIT).slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value =
      isObject(value) && Object.hasOwn(value, key) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
  }
  return value;
}

const LOCAL_POINTER = /^#(?:$|\/|%2f)/iu;
const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef']);
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const VISIT_LIMIT = 1_000;
const POINTER_LIMIT = 100;
