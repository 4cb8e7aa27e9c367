// JSON Schema for objects: 2020-12 core sections 10.2.2.4, 10.3.2 and 11.3, validation section 6.5; draft-07 dependencies too.
import { isObject, type JsonObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { doubted } from './arrays.js';
import { isOld, type SchemaNode } from './document.js';
import { quotedName } from './issue.js';
import { childOf, countCheck, type PlanBuilder, invalidKeyword, namedChildrenOf } from './plan-builder.js';
import { both, type Check, type SchemaWalk, type SchemaVerdict } from './run.js';
import { patternTest } from './scalars.js';

type ObjectCheck = Check<JsonObject>;

export function objectKeywords(builder: PlanBuilder): void {
  const { schema, plan, resource } = builder;
  const { required, minProperties, maxProperties, propertyNames, unevaluatedProperties } = schema;
  if (required !== undefined) plan.object.push(requiredCheck(required));
  if (minProperties !== undefined) plan.object.push(countCheck('minProperties', minProperties, countProperties));
  if (maxProperties !== undefined) plan.object.push(countCheck('maxProperties', maxProperties, countProperties));
  propertyKeywords(builder);
  if (propertyNames !== undefined) plan.object.push(namesCheck(childOf(builder, propertyNames)));
  dependencyKeywords(builder);
  if (unevaluatedProperties !== undefined && !isOld(resource.dialect)) {
    plan.lastObject.push(unevaluatedCheck(childOf(builder, unevaluatedProperties)));
  }
}

/** JSON omits undefined values, so they count as missing. */
function has(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function keysOf(value: JsonObject, run: SchemaWalk): string[] {
  const keys = Object.keys(value);
  run.fuel.spend(keys.length > FEW_KEYS ? keys.length * MANY_KEYS_COST : keys.length);
  return keys;
}

const FEW_KEYS = 500; // a larger object is a dictionary, whose keys are collected and sorted each time
const MANY_KEYS_COST = 16; // units for each key

function requiredCheck(required: unknown): ObjectCheck {
  if (!isNames(required)) return invalidKeyword('required');
  return (value, run) => {
    let verdict: SchemaVerdict = 'yes';
    for (const name of required) {
      run.fuel.spend(1);
      if (has(value, name)) continue;
      verdict = run.no(() => `must have the property ${quotedName(name)}`);
      if (run.mayStop) break;
    }
    return verdict;
  };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function countProperties(value: JsonObject, run: SchemaWalk): number {
  return keysOf(value, run).filter((key) => value[key] !== undefined).length;
}

/** properties, patternProperties and additionalProperties, which together decide about each property. */
interface PropertyRules {
  readonly named: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly { matches: (name: string, run: SchemaWalk) => SchemaVerdict; node: SchemaNode }[];
  readonly rest: SchemaNode | undefined;
}

function propertyKeywords(builder: PlanBuilder): void {
  const { schema, plan } = builder;
  const { properties, patternProperties, additionalProperties } = schema;
  const named = namedChildrenOf(builder, properties ?? {});
  const byPattern = namedChildrenOf(builder, patternProperties ?? {});
  if (named === undefined || byPattern === undefined) {
    plan.object.push(invalidKeyword(named === undefined ? 'properties' : 'patternProperties'));
    return;
  }
  const patterns = Array.from(byPattern, ([source, node]) => ({ matches: patternTest(source), node }));
  const rest = additionalProperties === undefined ? undefined : childOf(builder, additionalProperties);
  if (named.size === 0 && patterns.length === 0 && rest === undefined) return;
  const every = everyPropertyCheck({ named, patterns, rest });
  const isOpen = patterns.length === 0 && (rest === undefined || rest.schema === true);
  if (!isOpen || named.size > FEW_NAMES) plan.object.push(every);
  else {
    const few = namedPropertiesCheck(named);
    plan.object.push((value, run, seen) => (seen === undefined ? few : every)(value, run, seen));
  }
}

const FEW_NAMES = 32; // looking up this many is faster than listing the value's keys

function namedPropertiesCheck(named: ReadonlyMap<string, SchemaNode>): ObjectCheck {
  const rules = [...named]; // an array is iterated faster than a map, and every check iterates it
  return (value, run) =>
    run.every(rules, ([name, node]) => (has(value, name) ? run.evaluateAt(name, node, value[name]) : 'yes'));
}

function everyPropertyCheck({ named, patterns, rest }: PropertyRules): ObjectCheck {
  return (value, run, seen) => {
    let verdict: SchemaVerdict = 'yes';
    for (const name of keysOf(value, run)) {
      if (value[name] === undefined) continue;
      const node = named.get(name);
      let known = node !== undefined;
      if (node !== undefined) verdict = both(verdict, run.evaluateAt(name, node, value[name]));
      for (const pattern of patterns) {
        run.fuel.spend(1);
        const matches = pattern.matches(name, run);
        if (matches === 'no') continue;
        known = true;
        verdict = both(verdict, matches === 'yes' ? run.evaluateAt(name, pattern.node, value[name]) : 'unknown');
      }
      if (!known && rest !== undefined) {
        const isClosed = rest.schema === false;
        verdict = both(verdict, isClosed ? noPlaceFor(name, named, run) : run.evaluateAt(name, rest, value[name]));
      }
      if (known || rest !== undefined) seen?.properties.add(name);
      if (verdict === 'no' && run.mayStop) return 'no';
    }
    return verdict;
  };
}

function noPlaceFor(name: string, named: ReadonlyMap<string, SchemaNode>, run: SchemaWalk): 'no' {
  if (run.issues !== undefined && named.size <= NEAREST_LIMIT) run.fuel.spend(named.size * NEAREST_COST);
  return run.no(() => {
    const meant = named.size <= NEAREST_LIMIT ? nearest(name, named.keys())[0] : undefined;
    const hint = meant === undefined ? '' : ` (did you mean ${quotedName(meant)}?)`;
    return `must not have the property ${quotedName(name)}${hint}`;
  });
}

const NEAREST_LIMIT = 50; // names compared with the unknown one
const NEAREST_COST = 1_000; // units for each name; quadratic in their length

function namesCheck(node: SchemaNode): ObjectCheck {
  return (value, run) =>
    run.every(keysOf(value, run), (name) => {
      const verdict = run.quietly(() => run.evaluate(node, name, undefined));
      return verdict === 'no' ? run.no(() => `must not have a property named ${quotedName(name)}`) : verdict;
    });
}

/**
 * If the property is present, a list of names requires these properties, and a schema applies to the whole object.
 * `dependencies` belongs to older dialects; servers that name no dialect write it as well.
 */
function dependencyKeywords(builder: PlanBuilder): void {
  const { schema, plan } = builder;
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependencies = schema[keyword];
    if (dependencies === undefined) continue;
    if (!isObject(dependencies)) {
      plan.object.push(invalidKeyword(keyword));
      continue;
    }
    for (const [name, wanted] of Object.entries(dependencies)) {
      builder.fuel.spend(1);
      const check = Array.isArray(wanted) ? requiredCheck(wanted) : schemaCheck(childOf(builder, wanted));
      plan.object.push((value, run, seen) => (has(value, name) ? check(value, run, seen) : 'yes'));
    }
  }
}

function schemaCheck(node: SchemaNode): ObjectCheck {
  return (value, run, seen) => run.evaluate(node, value, seen);
}

function unevaluatedCheck(node: SchemaNode): ObjectCheck {
  return (value, run, seen) => {
    const verdict = run.every(seen!.everyProperty ? [] : keysOf(value, run), (name) => {
      if (value[name] === undefined || seen!.properties.has(name)) return 'yes';
      const judge = (): SchemaVerdict =>
        node.schema === false ? noPlaceFor(name, new Map(), run) : run.evaluateAt(name, node, value[name]);
      return seen!.doubtful ? run.quietly(() => doubted(judge())) : judge();
    });
    // `run.every` stops before the last property only if the value is invalid anyway.
    seen!.everyProperty = true;
    return verdict;
  };
}
