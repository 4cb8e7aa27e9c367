import type { JsonObject } from '../../base/json.js';
import type { Resource, SchemaDocument, SchemaNode } from './document.js';
import type { Fuel } from './fuel.js';
import type { Check, Plan, SchemaWalk } from './run.js';

/** A plan under construction: each family of keywords adds its checks. */
export interface PlanBuilder {
  readonly schema: JsonObject;
  readonly plan: Plan;
  readonly document: SchemaDocument;
  readonly resource: Resource;
  readonly fuel: Fuel;
}

export type KeywordFamily = (builder: PlanBuilder) => void;

/** A keyword's subschema; its plan is made at its first use. */
export function childOf({ document, resource, fuel }: PlanBuilder, schema: unknown): SchemaNode {
  fuel.spend(CHILD_COST);
  return document.child(schema, resource, fuel);
}

/** The schemas of a keyword with a list of them; undefined when it is no list. */
export function childrenOf(builder: PlanBuilder, list: unknown): SchemaNode[] | undefined {
  return Array.isArray(list) ? list.map((schema: unknown) => childOf(builder, schema)) : undefined;
}

/** The schemas of a keyword with a map of them; undefined when it is no map. */
export function namedChildrenOf(builder: PlanBuilder, map: unknown): Map<string, SchemaNode> | undefined {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined;
  return new Map(Object.entries(map).map(([name, schema]) => [name, childOf(builder, schema)]));
}

/** Checks the minimum or maximum number of a value's items or properties. */
export function countCheck<Value>(
  keyword: `${'min' | 'max'}${'Items' | 'Properties'}`,
  limit: unknown,
  countOf: (value: Value, run: SchemaWalk) => number,
): Check<Value> {
  if (typeof limit !== 'number') return invalidKeyword(keyword);
  const least = keyword.startsWith('min');
  return (value, run) => {
    const count = countOf(value, run);
    if (least ? count >= limit : count <= limit) return 'yes';
    return run.no(
      () => `must have at ${least ? 'least' : 'most'} ${limit} ${keyword.slice(3).toLowerCase()}, has ${count}`,
    );
  };
}

/** A keyword with an invalid value decides nothing: the verdict is `unknown`, with this reason. */
export function invalidKeyword(keyword: string): Check<unknown> {
  return (_value, run) => run.unknown(`The schema's ${keyword} is not what that keyword takes`);
}

const CHILD_COST = 20; // units
