// Our own evaluator, because no other can be stopped: validators follow a $ref 2^20 times and run patterns that
// backtrack for minutes; a worker, which could be ended, takes 25 ms of CPU to start and a file in each of three
// builds. Here every step spends from one budget, so that a check ends by itself, without thread, eval or dependency.
import { isObject } from '../../base/json.js';
import { arrayKeywords } from './arrays.js';
import { isOld, SchemaDocument, type SchemaNode } from './document.js';
import { type Fuel, OutOfFuel } from './fuel.js';
import { gated, IssueList, quotedName, type SchemaIssue } from './issue.js';
import { logicKeywords, referenceKeywords } from './logic.js';
import { type KeywordFamily, invalidKeyword } from './plan-builder.js';
import { objectKeywords } from './objects.js';
import { type Plan, SchemaWalk, TooDeep } from './run.js';
import { scalarKeywords } from './scalars.js';

export type SchemaOutcome =
  | { readonly kind: 'valid' }
  /** From one to ten issues. */
  | { readonly kind: 'invalid'; readonly issues: readonly SchemaIssue[] }
  /** Undecided: the schema cannot be evaluated to the end, or not within the limits. */
  | { readonly kind: 'unchecked'; readonly reason: string };

/** Contract: never throws; spends at most the fuel, or twice the fuel when the value is invalid. */
export type SchemaCheck = (value: unknown, fuel: Fuel) => SchemaOutcome;

/**
 * Prepares an untrusted JSON Schema for checking values; nothing of it is read before a value needs it. The dialect is
 * 2020-12 unless $schema says 2019-09, draft-07, draft-06 or draft-04.
 */
export function prepareSchema(schema: unknown): SchemaCheck {
  let document: SchemaDocument | undefined;
  return (value, fuel) => {
    try {
      document ??= new SchemaDocument(schema);
      return check(document, value, fuel);
    } catch (error) {
      return { kind: 'unchecked', reason: reasonOf(error) };
    }
  };
}

function check(document: SchemaDocument, value: unknown, fuel: Fuel): SchemaOutcome {
  const planOf = (node: SchemaNode): Plan => makePlan(node, document, fuel);
  const run = new SchemaWalk(planOf, fuel);
  const verdict = run.evaluate(document.root, value, undefined);
  if (verdict === 'yes') return VALID;
  if (verdict === 'unknown') return { kind: 'unchecked', reason: gated(run.doubt ?? 'The schema does not decide') };
  fuel.refill();
  return { kind: 'invalid', issues: findIssues(new SchemaWalk(planOf, fuel), document.root, value) };
}

const VALID: SchemaOutcome = { kind: 'valid' };

/** The order in which keywords are checked: cheap and decisive ones first. */
const families: readonly KeywordFamily[] = [
  scalarKeywords,
  referenceKeywords,
  logicKeywords,
  objectKeywords,
  arrayKeywords,
];

function makePlan({ schema, resource }: SchemaNode, document: SchemaDocument, fuel: Fuel): Plan {
  const plan: Plan = { any: [], string: [], number: [], array: [], object: [], lastArray: [], lastObject: [] };
  fuel.spend(PLAN_COST);
  if (schema === false) plan.any.push((_value, run) => run.no(() => 'must not be here'));
  else if (isObject(schema)) {
    const { dialect } = resource;
    const builder = { schema, plan, document, resource, fuel };
    if (dialect === undefined) plan.any.push(unknownDialect(resource.root));
    else if (isOld(dialect) && schema['$ref'] !== undefined) referenceKeywords(builder);
    else for (const add of families) add(builder);
  } else if (schema !== true) plan.any.push((_value, run) => run.unknown('A part of the schema is not a schema'));
  return slim(plan);
}

/** An array that has grown keeps room for 17 elements, and a schema may have thousands of plans with seven arrays. */
function slim(plan: Plan): Plan {
  return {
    any: plan.any.slice(),
    string: plan.string.slice(),
    number: plan.number.slice(),
    array: plan.array.slice(),
    object: plan.object.slice(),
    lastArray: plan.lastArray.slice(),
    lastObject: plan.lastObject.slice(),
  };
}

const PLAN_COST = 50; // units

function unknownDialect(root: unknown): Plan['any'][number] {
  const name = isObject(root) ? root['$schema'] : undefined;
  if (typeof name !== 'string') return invalidKeyword('$schema');
  return (_value, run) => run.unknown(`The schema is written in a dialect that is not known here: ${quotedName(name)}`);
}

/** Evaluates again and continues after the first failure, to collect the issues. */
function findIssues(run: SchemaWalk, root: SchemaNode, value: unknown): readonly SchemaIssue[] {
  const list = new IssueList();
  run.issues = list;
  try {
    run.evaluate(root, value, undefined);
  } catch {
    // The issues found before the fuel ran out are still true.
  }
  const issues = list.issues.map(({ path, message }) => ({ path, message }));
  return issues.length > 0 ? issues : [{ path: '', message: 'must fit the schema, and does not' }];
}

function reasonOf(error: unknown): string {
  if (error instanceof OutOfFuel) return 'The check takes too long for this schema and this value';
  // The caller may have left little stack.
  if (error instanceof TooDeep || error instanceof RangeError) return TOO_DEEP;
  // An embedder's value may be anything, even a getter that throws.
  return gated(`The check failed: ${error instanceof Error ? error.message : 'unknown error'}`);
}

const TOO_DEEP = 'The schema or the value is nested too deep, or a $ref leads to itself';
