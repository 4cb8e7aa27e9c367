import type { JsonObject } from '../../base/json.js';
import type { Resource, SchemaNode } from './document.js';
import type { Fuel } from './fuel.js';
import type { IssueList } from './issue.js';

/** `unknown`: a keyword cannot be evaluated, and the others do not decide. */
export type SchemaVerdict = 'yes' | 'no' | 'unknown';

/** The check of one keyword, or of several that belong together, for values of one type. */
export type Check<Value> = (value: Value, run: SchemaWalk, seen: Seen | undefined) => SchemaVerdict;

/** The checks of a schema. Those for other types than the value's are not run. */
export interface Plan {
  readonly any: Check<unknown>[];
  readonly string: Check<string>[];
  readonly number: Check<number>[];
  readonly array: Check<readonly unknown[]>[];
  readonly object: Check<JsonObject>[];
  /** unevaluatedItems and unevaluatedProperties, which need to know what the others have evaluated. */
  readonly lastArray: Check<readonly unknown[]>[];
  readonly lastObject: Check<JsonObject>[];
}

/** The parts of a value that some keyword has evaluated; tracked only for unevaluated* keywords. */
export class Seen {
  readonly properties = new Set<string>();
  readonly items = new Set<number>();
  /** All items before this index are evaluated. */
  prefix = 0;
  everyProperty = false;
  /** Whether an undecided subschema may have evaluated more. */
  doubtful = false;

  merge(other: Seen, fuel: Fuel): void {
    fuel.spend(other.properties.size + other.items.size);
    for (const name of other.properties) this.properties.add(name);
    for (const index of other.items) this.items.add(index);
    this.prefix = Math.max(this.prefix, other.prefix);
    this.everyProperty ||= other.everyProperty;
    this.doubtful ||= other.doubtful;
  }
}

/** One evaluation of a value against a schema. */
export class SchemaWalk {
  readonly fuel: Fuel;
  /** The current position in the value. */
  readonly path: (string | number)[] = [];
  /** The resources entered so far, which $dynamicRef and $recursiveRef search. */
  readonly scopes: Resource[] = [];
  /** Collects issues; undefined: the evaluation ends at the first failure. */
  issues: IssueList | undefined;
  /** The first thing that could not be evaluated. */
  doubt: string | undefined;
  readonly #planOf: (node: SchemaNode) => Plan;
  #depth = 0;

  constructor(planOf: (node: SchemaNode) => Plan, fuel: Fuel) {
    this.#planOf = planOf;
    this.fuel = fuel;
  }

  /** Throws `OutOfFuel` and `TooDeep`, which end the evaluation. */
  evaluate(node: SchemaNode, value: unknown, seen: Seen | undefined): SchemaVerdict {
    this.fuel.spend(EVALUATE_COST);
    if (++this.#depth > DEPTH_LIMIT) throw new TooDeep();
    const plan = (node.plan ??= this.#planOf(node));
    const enters = this.scopes.at(-1) !== node.resource;
    if (enters) this.scopes.push(node.resource);
    const tracks = plan.lastArray.length > 0 || plan.lastObject.length > 0;
    const own = tracks ? new Seen() : seen;
    let verdict = this.#all(plan.any, value, own);
    if (verdict !== 'no' || this.issues !== undefined) {
      verdict = both(verdict, this.#all(checksFor(plan, value), value, own));
      if (tracks && verdict !== 'no') verdict = both(verdict, this.#all(lastChecksFor(plan, value), value, own));
    }
    if (tracks && verdict !== 'no') seen?.merge(own!, this.fuel);
    if (enters) this.scopes.pop();
    this.#depth--;
    return verdict;
  }

  /** Evaluates a part of the value at its path. */
  evaluateAt(key: string | number, node: SchemaNode, value: unknown): SchemaVerdict {
    this.path.push(key);
    const verdict = this.evaluate(node, value, undefined);
    this.path.pop();
    return verdict;
  }

  /** Whether every item fits. Stops at the first that does not, unless issues are collected. */
  every<Item>(items: Iterable<Item>, judge: (item: Item) => SchemaVerdict): SchemaVerdict {
    let verdict: SchemaVerdict = 'yes';
    for (const item of items) {
      const result = judge(item);
      verdict = both(verdict, result);
      if (result === 'no' && this.mayStop) return 'no';
    }
    return verdict;
  }

  /** Collects no issues, for schemas that may fail without the value being invalid. */
  quietly<Result>(work: () => Result): Result {
    const issues = this.issues;
    this.issues = undefined;
    const result = work();
    this.issues = issues;
    return result;
  }

  /** Whether an evaluation may stop at a failure. */
  get mayStop(): boolean {
    return this.issues === undefined || this.issues.isFull;
  }

  no(message: () => string, kind: 'type' | 'choice' | 'other' = 'other'): 'no' {
    if (this.issues === undefined) return 'no';
    this.fuel.spend(ISSUE_COST);
    this.issues.add({ path: this.path, message, kind });
    return 'no';
  }

  unknown(doubt: string): 'unknown' {
    this.doubt ??= doubt;
    return 'unknown';
  }

  #all(checks: readonly Check<never>[], value: unknown, seen: Seen | undefined): SchemaVerdict {
    let verdict: SchemaVerdict = 'yes';
    for (const check of checks) {
      this.fuel.spend(1);
      const result = check(value as never, this, seen);
      if (result === 'yes') continue;
      if (result === 'no' && this.mayStop) return 'no';
      if (result === 'unknown' && seen !== undefined) seen.doubtful = true;
      verdict = both(verdict, result);
    }
    return verdict;
  }
}

/** The checks for the value's type. */
function checksFor(plan: Plan, value: unknown): readonly Check<never>[] {
  if (typeof value === 'string') return plan.string;
  if (typeof value === 'number') return plan.number;
  if (typeof value !== 'object' || value === null) return NONE;
  return Array.isArray(value) ? plan.array : plan.object;
}

function lastChecksFor(plan: Plan, value: unknown): readonly Check<never>[] {
  if (typeof value !== 'object' || value === null) return NONE;
  return Array.isArray(value) ? plan.lastArray : plan.lastObject;
}

const NONE: readonly Check<never>[] = [];

/** The verdict of two keywords together: one `no` is enough. */
export function both(one: SchemaVerdict, other: SchemaVerdict): SchemaVerdict {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' ? other : one;
}

/** A value is nested too deep, or a $ref leads to itself. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

const DEPTH_LIMIT = 1_100; // nested schemas: the 512 levels of a value, each through a $ref
const EVALUATE_COST = 3; // units
const ISSUE_COST = 400; // units; texts are built and gated
