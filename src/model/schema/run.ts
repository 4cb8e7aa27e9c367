import type { JsonObject } from '../../base/json.js';
import type { Resource, SchemaNode } from './document.js';
import type { Fuel } from './fuel.js';
import type { IssueList } from './issue.js';

/** Unknown: some keyword cannot be judged here, and the rest does not decide. */
export type SchemaVerdict = 'yes' | 'no' | 'unknown';

/** One keyword, or a few that belong together, made ready for values of one type. */
export type Check<Value> = (value: Value, run: SchemaWalk, seen: Seen | undefined) => SchemaVerdict;

/** A schema made ready. Keywords for another type than the value's are not even asked. */
export interface Plan {
  readonly any: Check<unknown>[];
  readonly string: Check<string>[];
  readonly number: Check<number>[];
  readonly array: Check<readonly unknown[]>[];
  readonly object: Check<JsonObject>[];
  /** unevaluatedItems and unevaluatedProperties, which must know what the others have looked at. */
  readonly lastArray: Check<readonly unknown[]>[];
  readonly lastObject: Check<JsonObject>[];
}

/** Which parts of a value some keyword has looked at; kept only where an unevaluated* keyword wants to know. */
export class Seen {
  readonly properties = new Set<string>();
  readonly items = new Set<number>();
  /** All items before this one. */
  prefix = 0;
  everyProperty = false;
  /** Whether something undecided may have looked at more. */
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

/** One walk of a value along a schema. */
export class SchemaWalk {
  readonly fuel: Fuel;
  /** Where in the value we are. */
  readonly path: (string | number)[] = [];
  /** The resources entered on the way, which is what $dynamicRef and $recursiveRef look through. */
  readonly scopes: Resource[] = [];
  /** What is wrong, when that is asked for; without it the walk ends at the first thing that is. */
  issues: IssueList | undefined;
  /** The first thing that could not be judged. */
  doubt: string | undefined;
  readonly #planOf: (node: SchemaNode) => Plan;
  #depth = 0;

  constructor(planOf: (node: SchemaNode) => Plan, fuel: Fuel) {
    this.#planOf = planOf;
    this.fuel = fuel;
  }

  /** Throws OutOfFuel and TooDeep, which end the walk. */
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

  /** A part of the value, at its place. */
  evaluateAt(key: string | number, node: SchemaNode, value: unknown): SchemaVerdict {
    this.path.push(key);
    const verdict = this.evaluate(node, value, undefined);
    this.path.pop();
    return verdict;
  }

  /** Whether each of them fits; once one does not, the others matter only to whoever wants to hear all that is wrong. */
  every<Item>(items: Iterable<Item>, judge: (item: Item) => SchemaVerdict): SchemaVerdict {
    let verdict: SchemaVerdict = 'yes';
    for (const item of items) {
      const result = judge(item);
      verdict = both(verdict, result);
      if (result === 'no' && this.mayStop) return 'no';
    }
    return verdict;
  }

  /** For schemas that may fail without the value being wrong. */
  quietly<Result>(work: () => Result): Result {
    const issues = this.issues;
    this.issues = undefined;
    const result = work();
    this.issues = issues;
    return result;
  }

  /** Whether nothing more needs to be found out once a value is wrong. */
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

/** Each list is asked about values of its own type only. */
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

/** What two keywords say together: one no is enough. */
export function both(one: SchemaVerdict, other: SchemaVerdict): SchemaVerdict {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' ? other : one;
}

/** The value, or a $ref that leads to itself, goes deeper than any walk should. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

const DEPTH_LIMIT = 1_100; // schemas within schemas: the 512 levels that a value may have, each through a $ref
const EVALUATE_COST = 3; // units
const ISSUE_COST = 400; // units; texts are put together and gated
