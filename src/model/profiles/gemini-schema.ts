// https://ai.google.dev/api/caching#Schema
import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { JsonSchema } from '../tool.js';
import { allowedFor, isAllowedFormat, type GeminiType, impliedTypes } from './gemini-types.js';
import { mergeSchemas } from './join-schemas.js';
import { isPlainPattern } from './plain-pattern.js';
import { References } from './references.js';
import { type Repairs, toPlace } from './repairs.js';

/** `parts`: the number of schema nodes written. */
export type GeminiSchema =
  | { readonly kind: 'object'; readonly schema: JsonSchema; readonly parts: number }
  | { readonly kind: 'aside'; readonly reason: string; readonly parts: number };

/** A sound object schema in Gemini's form: without references, and with a type everywhere. */
export function toGeminiSchema(root: JsonSchema, repairs: Repairs): GeminiSchema {
  const before = repairs.count;
  const writing: Writing = {
    references: new References(root),
    repairs,
    path: [],
    open: new Set(),
    nodes: 0,
    depth: 0,
    left: new Set(),
  };
  const schema = toNode(root, writing);
  if (writing.nodes > NODES)
    return {
      kind: 'aside',
      reason: `Its schema has more than ${NODES} parts when its references are written out`,
      parts: NODES,
    };
  if (writing.left.size > 0) repairs.add(`Left out, as Gemini does not know it: ${toKeywords([...writing.left])}`);
  return {
    kind: 'object',
    schema: repairs.count === before && schema !== undefined ? root : (schema ?? NOTHING),
    parts: writing.nodes,
  };
}

interface Writing {
  readonly references: References;
  readonly repairs: Repairs;
  readonly path: string[];
  /** The schemas being written: a reference to one of them would never end. */
  readonly open: Set<unknown>;
  /** Keywords that were left out. */
  readonly left: Set<string>;
  nodes: number;
  depth: number;
}

/** Returns undefined for a schema that nothing fits. */
function toNode(value: unknown, writing: Writing): JsonSchema | undefined {
  if (++writing.nodes > NODES) return NOTHING;
  if (value === false) return undefined;
  if (!isObject(value)) return anything({}, writing);
  if (writing.open.has(value) || writing.depth > DEPTH) {
    writing.repairs.add(`${toPlace(writing.path)} contains itself, and is not described any deeper`);
    return { type: 'object' };
  }
  writing.open.add(value);
  writing.depth++;
  const node = toOpened(value, writing);
  writing.depth--;
  writing.open.delete(value);
  return node;
}

function toOpened(schema: JsonSchema, writing: Writing): JsonSchema | undefined {
  if (typeof schema['$ref'] === 'string') return toReferred(schema, schema['$ref'], writing);
  if (Array.isArray(schema['allOf'])) return toMerged(schema, schema['allOf'], writing);
  for (const word of ['anyOf', 'oneOf'] as const) {
    const list = schema[word];
    if (Array.isArray(list)) return toAlternatives(schema, word, list, writing);
  }
  if (schema['const'] !== undefined) {
    const { const: only, ...rest } = schema;
    note(writing, 'const is an enum of one value');
    return toNode({ ...rest, enum: [only] }, writing);
  }
  const types = typesOf(schema);
  const isNullable = types.includes('null') || schema['nullable'] === true;
  const plain = types.filter((type): type is GeminiType => type !== 'null');
  if (plain.length === 0) return types.length === 0 ? anything(schema, writing) : onlyNull(schema, writing);
  if (Array.isArray(schema['type'])) note(writing, 'a list of types is written as alternatives or as nullable');
  else if (schema['type'] === undefined) note(writing, `its type was missing: ${plain.join(' or ')}`);
  if (plain.length === 1) return toTyped(schema, plain[0]!, isNullable, writing);
  // Each type gets its own keywords; title and description go with the first.
  const { title: _, description: _words, ...rest } = schema;
  return {
    anyOf: plain.map((type, index) =>
      toTyped(index === 0 ? { ...aboutOf(schema), ...rest } : rest, type, isNullable, writing),
    ),
  };
}

function typesOf(schema: JsonSchema): readonly (GeminiType | 'null')[] {
  const { type } = schema;
  if (typeof type === 'string') return [type as GeminiType | 'null'];
  if (Array.isArray(type)) return type as readonly (GeminiType | 'null')[];
  return impliedTypes(schema);
}

/** A node with one type and the keywords that Gemini allows with it, in their original order. */
function toTyped(schema: JsonSchema, type: GeminiType, isNullable: boolean, writing: Writing): JsonSchema {
  const entries: [string, unknown][] = [];
  if (schema['type'] === undefined) entries.push(['type', type]);
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || keyword === 'nullable') continue;
    if (keyword === 'type') entries.push([keyword, type]);
    else if (!allowedFor(type).has(keyword)) {
      if (keyword !== 'enum') writing.left.add(keyword);
    } else {
      const kept = toKept(keyword, value, type, writing);
      if (kept !== undefined) entries.push([keyword, kept]);
    }
  }
  const node: Record<string, unknown> = Object.fromEntries(entries);
  keepRequired(node, writing);
  if (isNullable) node['nullable'] = true;
  if (schema['nullable'] !== undefined && schema['nullable'] !== isNullable) note(writing, 'nullable was put right');
  if (type === 'array' && node['items'] === undefined) node['items'] = toItems(schema, writing);
  const values = schema['enum'];
  if (Array.isArray(values) && node['enum'] === undefined) tell(node, `One of: ${toList(values)}`, writing);
  return node;
}

function toKept(keyword: string, value: unknown, type: GeminiType, writing: Writing): unknown {
  switch (keyword) {
    case 'properties':
      return isObject(value) ? toProperties(value, writing) : undefined;
    case 'items':
      return inside('items', writing, () => toNode(value, writing) ?? anything({}, writing));
    case 'enum':
      return toEnum(value, writing);
    case 'format':
      if (typeof value === 'string' && isAllowedFormat(type, value)) return value;
      note(writing, `format ${shorten(String(value), 40)} was left out`);
      return undefined;
    case 'pattern':
      if (typeof value === 'string' && isPlainPattern(value)) return value;
      note(writing, 'its pattern is one that this API cannot read, and was left out');
      return undefined;
    default:
      return value;
  }
}

function toProperties(properties: JsonSchema, writing: Writing): JsonSchema | undefined {
  const entries = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    const node = inside(name, writing, () => toNode(property, writing));
    if (node === undefined) note(writing, `nothing fits ${shorten(name, 60)}, which was left out`);
    return node === undefined ? [] : [[name, node]];
  });
  if (entries.length === 0 && writing.path.length > 0) note(writing, 'properties was empty, and was left out');
  return entries.length === 0 && writing.path.length > 0 ? undefined : Object.fromEntries(entries);
}

/** Only properties may be required; some may be gone because nothing fits them. */
function keepRequired(node: Record<string, unknown>, writing: Writing): void {
  const names = node['required'];
  if (!Array.isArray(names)) return;
  const known = isObject(node['properties']) ? node['properties'] : {};
  const kept = names.filter((name) => typeof name === 'string' && Object.hasOwn(known, name));
  if (kept.length === names.length && kept.length > 0) return;
  note(writing, 'required named what is no property, or nothing');
  if (kept.length === 0) delete node['required'];
  else node['required'] = kept;
}

function toEnum(value: unknown, writing: Writing): unknown {
  const values = Array.isArray(value) ? [...new Set<unknown>(value)] : [];
  const strings = values.filter((one) => typeof one === 'string' && one !== '');
  if (strings.length === (value as readonly unknown[]).length) return value;
  note(writing, 'only strings may be listed by enum');
  return strings.length === 0 || values.some((one) => one !== null && typeof one !== 'string') ? undefined : strings;
}

function toItems(schema: JsonSchema, writing: Writing): JsonSchema {
  const tuple = schema['prefixItems'];
  note(writing, 'items was missing');
  if (!Array.isArray(tuple) || tuple.length === 0) return anything({}, writing);
  return inside('items', writing, () => toNode({ anyOf: tuple }, writing) ?? anything({}, writing));
}

function toReferred(schema: JsonSchema, reference: string, writing: Writing): JsonSchema | undefined {
  const { $ref: _, $defs: _defs, definitions: _definitions, ...beside } = schema;
  const target = writing.references.resolve(reference);
  note(writing, 'its $ref is written out');
  if (target === false) return undefined;
  if (!isObject(target)) return toNode(beside, writing);
  if (writing.open.has(target)) return toNode(target, writing);
  // Marked as open while its copy is written, so that a reference back to it is recognised.
  writing.open.add(target);
  const node = toNode(mergeSchemas(target, beside), writing);
  writing.open.delete(target);
  return node;
}

function toMerged(schema: JsonSchema, branches: readonly unknown[], writing: Writing): JsonSchema | undefined {
  const { allOf: _, ...own } = schema;
  note(writing, 'allOf is written as one schema');
  let merged: JsonSchema = own;
  for (const branch of branches) {
    if (branch === false) return undefined;
    const target = toTarget(branch, writing);
    if (target === false) return undefined;
    if (isObject(target)) merged = mergeSchemas(target, merged);
  }
  return toNode(merged, writing);
}

/** Resolves a branch that is a reference, so that it can be merged. */
function toTarget(branch: unknown, writing: Writing): unknown {
  let target = branch;
  for (let hop = 0; hop < HOPS && isObject(target); hop++) {
    const { $ref: reference, ...beside } = target;
    if (typeof reference !== 'string') return target;
    const found = writing.references.resolve(reference);
    if (found === false) return false;
    if (!isObject(found) || writing.open.has(found)) return beside;
    target = mergeSchemas(found, beside);
  }
  return isObject(target) ? { ...target, $ref: undefined } : target;
}

function toAlternatives(
  schema: JsonSchema,
  word: 'anyOf' | 'oneOf',
  list: readonly unknown[],
  writing: Writing,
): JsonSchema | undefined {
  const { [word]: _, title: _title, description: _words, nullable, default: _default, ...shared } = schema;
  const about = aboutOf(schema);
  const isNullable = list.some(isNull) || nullable === true;
  const isPlain = word === 'anyOf' && Object.keys(schema).length === 1 && !isNullable;
  if (!isPlain) note(writing, `${word} stands alone as anyOf, and null among it is nullable`);
  const branches = list.filter((branch) => !isNull(branch));
  const nodes = branches.flatMap((branch): JsonSchema[] => {
    const target = Object.keys(shared).length === 0 ? branch : isObject(branch) ? mergeSchemas(shared, branch) : shared;
    const node = toNode(target, writing);
    if (node === undefined) return [];
    return Array.isArray(node['anyOf']) ? (node['anyOf'] as JsonSchema[]) : [node];
  });
  if (nodes.length < branches.length || nodes.length > branches.length) note(writing, 'alternatives were joined');
  if (nodes.length === 0) return isNullable ? onlyNull(about, writing) : undefined;
  const values = nodes.flatMap(onlyValues);
  if (nodes.length > 1 && nodes.every((node) => onlyValues(node).length > 0)) {
    note(writing, 'alternatives of single values are one enum');
    return { ...about, type: 'string', enum: [...new Set(values)], ...(isNullable && { nullable: true }) };
  }
  if (nodes.length === 1) {
    if (!isNullable) note(writing, 'an alternative without another is none');
    return withWords(nodes[0]!, about, isNullable);
  }
  // Nothing may stand beside anyOf, so title and description go with the first alternative.
  return { anyOf: isPlain ? nodes : nodes.map((node, at) => (at > 0 ? node : withWords(node, about, isNullable))) };
}

/** Adds the title and description of a value to one of its alternatives. */
function withWords(node: JsonSchema, about: JsonSchema, isNullable: boolean): JsonSchema {
  const words = [about['description'], node['description']].filter((text) => typeof text === 'string');
  return {
    ...about,
    ...node,
    ...(words.length > 0 && { description: words.join('\n') }),
    ...(isNullable && { nullable: true }),
  };
}

/** The values of a node that only lists them. */
function onlyValues(node: JsonSchema): readonly unknown[] {
  const isList = Object.keys(node).every((keyword) => keyword === 'type' || keyword === 'enum');
  return isList && Array.isArray(node['enum']) ? node['enum'] : [];
}

/** Gemini has no schema for "anything", so the types are listed. */
function anything(schema: JsonSchema, writing: Writing): JsonSchema {
  note(writing, 'anything fits there, which is written as alternatives');
  writing.nodes += 6;
  const list = { type: 'array', items: { type: 'string' } };
  return {
    anyOf: [{ ...aboutOf(schema), type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }, list],
  };
}

function onlyNull(schema: JsonSchema, writing: Writing): JsonSchema {
  note(writing, 'only null fits there, which is written as nullable');
  return { type: 'string', ...aboutOf(schema), nullable: true };
}

/** The keywords that do not depend on a type. */
function aboutOf({ title, description }: JsonSchema): JsonSchema {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
}

function tell(node: Record<string, unknown>, words: string, writing: Writing): void {
  const description = node['description'];
  node['description'] = typeof description === 'string' ? `${description} ${words}` : words;
  note(writing, 'what enum listed is told in the description');
}

function toKeywords(names: readonly string[]): string {
  return shorten(names.slice(0, TOLD).join(', '), 300) + moreThan(TOLD, names.length);
}

function toList(values: readonly unknown[]): string {
  const told = values.slice(0, TOLD).map((value) => JSON.stringify(value));
  return shorten(told.join(', '), 400) + moreThan(TOLD, values.length);
}

function moreThan(told: number, all: number): string {
  return all > told ? `, and ${all - told} more` : '';
}

function isNull(branch: unknown): boolean {
  return isObject(branch) && branch['type'] === 'null';
}

function inside<T>(name: string, { path }: Writing, write: () => T): T {
  path.push(name);
  const written = write();
  path.pop();
  return written;
}

function note({ repairs, path }: Writing, what: string): void {
  repairs.add(`In ${toPlace(path)}: ${what}`);
}

const NODES = 5_000; // twenty references can expand to 2^20 nodes
const DEPTH = 64; // nested schemas; each step of a reference counts too
const HOPS = 32;
const TOLD = 20; // items of a list within a sentence
const NOTHING: JsonSchema = { type: 'object' };
