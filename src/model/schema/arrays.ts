// JSON Schema for arrays: 2020-12 core sections 10.3.1 and 11.2, validation section 6.4; tuples of the older dialects too.
import { ValueSet } from './key.js';
import { childOf, childrenOf, countCheck, type PlanBuilder, invalidKeyword } from './plan-builder.js';
import { isOld, type SchemaNode } from './document.js';
import { both, type Check, type SchemaWalk, type Seen, type SchemaVerdict } from './run.js';

type ArrayCheck = Check<readonly unknown[]>;

export function arrayKeywords(builder: PlanBuilder): void {
  const { schema, plan } = builder;
  const { minItems, maxItems, uniqueItems } = schema;
  if (minItems !== undefined) plan.array.push(countCheck('minItems', minItems, lengthOf));
  if (maxItems !== undefined) plan.array.push(countCheck('maxItems', maxItems, lengthOf));
  itemKeywords(builder);
  if (schema['contains'] !== undefined) plan.array.push(containsCheck(builder));
  if (uniqueItems === true) plan.array.push(uniqueCheck);
  else if (uniqueItems !== undefined && uniqueItems !== false) plan.array.push(invalidKeyword('uniqueItems'));
  const { unevaluatedItems } = schema;
  if (unevaluatedItems !== undefined && !isOld(builder.resource.dialect)) {
    plan.lastArray.push(unevaluatedCheck(childOf(builder, unevaluatedItems)));
  }
}

const lengthOf = ({ length }: readonly unknown[]): number => length;

/** A list in `items` is a tuple in the older dialects, and in schemas of servers that name no dialect. */
function itemKeywords(builder: PlanBuilder): void {
  const { schema, plan, resource } = builder;
  const { items } = schema;
  const prefixItems = resource.dialect === '2020-12' ? schema['prefixItems'] : undefined;
  const isTuple = Array.isArray(items) && prefixItems === undefined;
  const tuple = childrenOf(builder, isTuple ? items : (prefixItems ?? []));
  const rest = isTuple ? schema['additionalItems'] : items;
  if (tuple === undefined || Array.isArray(rest)) {
    plan.array.push(invalidKeyword(tuple === undefined ? 'prefixItems' : 'items'));
    return;
  }
  if (tuple.length === 0 && rest === undefined) return;
  const restNode = rest === undefined ? undefined : childOf(builder, rest);
  plan.array.push((value, run, seen) => {
    const end = restNode === undefined ? Math.min(tuple.length, value.length) : value.length;
    if (seen !== undefined) seen.prefix = Math.max(seen.prefix, end);
    let verdict: SchemaVerdict = 'yes';
    for (let index = 0; index < end; index++) {
      const result = run.evaluateAt(index, tuple[index] ?? restNode!, value[index]);
      verdict = both(verdict, result);
      if (result === 'no' && run.mayStop) return 'no';
    }
    return verdict;
  });
}

function containsCheck(builder: PlanBuilder): ArrayCheck {
  const { schema, resource } = builder;
  const node = childOf(builder, schema['contains']);
  const counts = !isOld(resource.dialect);
  const minimum = (counts ? schema['minContains'] : undefined) ?? 1;
  const maximum = (counts ? schema['maxContains'] : undefined) ?? Infinity;
  if (typeof minimum !== 'number') return invalidKeyword('minContains');
  if (typeof maximum !== 'number') return invalidKeyword('maxContains');
  const marks = resource.dialect === '2020-12';
  return (value, run, seen) => {
    const marked = marks ? seen : undefined;
    const { sure, possible } = run.quietly(() => countMatches(value, { node, run, seen: marked, minimum, maximum }));
    if (possible < minimum) return run.no(() => `must contain at least ${minimum} items of a certain kind`);
    if (sure > maximum) return run.no(() => `must contain at most ${maximum} items of a certain kind`);
    return sure >= minimum && possible <= maximum ? 'yes' : 'unknown';
  };
}

interface Counting {
  readonly node: SchemaNode;
  readonly run: SchemaWalk;
  readonly seen: Seen | undefined;
  readonly minimum: number;
  readonly maximum: number;
}

function countMatches(value: readonly unknown[], counting: Counting): { sure: number; possible: number } {
  const { node, run, seen, minimum, maximum } = counting;
  let sure = 0;
  let possible = 0;
  for (const [index, item] of value.entries()) {
    const verdict = run.evaluateAt(index, node, item);
    if (verdict === 'yes') sure++;
    if (verdict !== 'no') possible++;
    if (verdict === 'yes') seen?.items.add(index);
    else if (verdict === 'unknown' && seen !== undefined) seen.doubtful = true;
    if (seen === undefined && (sure > maximum || (maximum === Infinity && sure >= minimum))) break;
  }
  return { sure, possible };
}

function uniqueCheck(value: readonly unknown[], run: SchemaWalk): SchemaVerdict {
  const known = new ValueSet();
  for (const [index, item] of value.entries()) {
    run.fuel.spend(UNIQUE_COST);
    if (!known.add(item, run.fuel)) return run.no(() => `must not repeat an item, and item ${index} is a repetition`);
  }
  return 'yes';
}

const UNIQUE_COST = 5; // units; growing a set costs more

function unevaluatedCheck(node: SchemaNode): ArrayCheck {
  return (value, run, seen) => {
    let verdict: SchemaVerdict = 'yes';
    for (let index = seen!.prefix; index < value.length; index++) {
      run.fuel.spend(1);
      if (seen!.items.has(index)) continue;
      const result = seen!.doubtful
        ? run.quietly(() => doubted(run.evaluateAt(index, node, value[index])))
        : run.evaluateAt(index, node, value[index]);
      verdict = both(verdict, result);
      if (result === 'no' && run.mayStop) return 'no';
    }
    seen!.prefix = value.length;
    return verdict;
  };
}

/** A failure becomes `unknown`, because an undecided subschema may have evaluated the value. */
export function doubted(verdict: SchemaVerdict): SchemaVerdict {
  return verdict === 'no' ? 'unknown' : verdict;
}
