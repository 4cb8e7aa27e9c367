import { isObject } from '../../base/json.js';
import type { JsonSchema } from '../tool.js';
import { mapSchema } from './map-schema.js';
import { type Repairs, toPlace } from './repairs.js';

/** Resolves the references of one schema within it. Nothing is ever fetched. */
export class References {
  readonly #root: JsonSchema;
  #names: Map<string, JsonSchema> | undefined;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** The target, following references to references; undefined when there is none, or when they form a circle. */
  resolve(reference: string): JsonSchema | boolean | undefined {
    let next = reference;
    for (let hop = 0; hop < HOPS; hop++) {
      const target = this.#find(next);
      if (typeof target === 'boolean') return target;
      if (!isObject(target)) return undefined;
      const further = target['$ref'];
      if (typeof further !== 'string') return target;
      // Keywords beside a `$ref` count too, so the target itself is returned.
      if (Object.keys(target).length > 1) return this.#endsSomewhere(further, HOPS - hop) ? target : undefined;
      next = further;
    }
    return undefined;
  }

  #endsSomewhere(reference: string, hops: number): boolean {
    let next = reference;
    for (let hop = 0; hop < hops; hop++) {
      const target = this.#find(next);
      if (typeof target === 'boolean') return true;
      if (!isObject(target)) return false;
      if (typeof target['$ref'] !== 'string') return true;
      next = target['$ref'];
    }
    return false;
  }

  #find(reference: string): unknown {
    if (reference === '') return undefined;
    const hash = reference.indexOf('#');
    const address = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : reference.slice(hash + 1);
    const start = address === '' || address === this.#root['$id'] ? this.#root : this.#named(address);
    if (start === undefined || fragment === '') return start;
    if (!fragment.startsWith('/')) return this.#named(`#${fragment}`);
    return follow(start, fragment);
  }

  #named(name: string): JsonSchema | undefined {
    this.#names ??= namesWithin(this.#root);
    return this.#names.get(name);
  }
}

/** Removes references that lead nowhere: a model would read them as "anything", some APIs as an error. */
export function mendReferences(root: JsonSchema, repairs: Repairs): JsonSchema {
  const references = new References(root);
  const after = (value: unknown, path: readonly string[]): unknown => {
    if (!isObject(value) || typeof value['$ref'] !== 'string') return value;
    if (references.resolve(value['$ref']) !== undefined) return value;
    // A tuple's `items` has become `prefixItems`, so references into it move along.
    const moved = value['$ref'].replaceAll(TUPLE, '/prefixItems/$1');
    if (references.resolve(moved) !== undefined) return { ...value, $ref: moved };
    repairs.add(`The $ref of ${toPlace(path)} leads nowhere within the schema, and was left out`);
    const { $ref: _, ...rest } = value;
    return rest;
  };
  return mapSchema(root, { after }) as JsonSchema;
}

function follow(root: JsonSchema, pointer: string): unknown {
  let value: unknown = root;
  for (const token of pointer.split('/', POINTER + 1).slice(1)) {
    const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function decode(token: string): string {
  if (!token.includes('%')) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // no valid percent-encoding, so the name itself
  }
}

/** Schemas with an `$id` or anchor; of duplicate names the first counts. */
function namesWithin(root: JsonSchema): Map<string, JsonSchema> {
  const names = new Map<string, JsonSchema>();
  const note = (name: string, schema: JsonSchema): void => {
    if (!names.has(name)) names.set(name, schema);
  };
  mapSchema(root, {
    before: (value) => {
      if (!isObject(value)) return value;
      if (typeof value['$id'] === 'string') note(value['$id'].replace(/#$/, ''), value);
      for (const anchor of [value['$anchor'], value['$dynamicAnchor']])
        if (typeof anchor === 'string') note(`#${anchor}`, value);
      return value;
    },
  });
  return names;
}

const HOPS = 32; // references to references; endless ones count as leading nowhere
const POINTER = 200; // steps of one pointer; no schema is that deep
const TUPLE = /\/items\/(\d+)(?=\/|$)/g;
