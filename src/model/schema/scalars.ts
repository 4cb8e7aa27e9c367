// JSON Schema validation, 2020-12 sections 6.1 to 6.3. `format` (section 7) is an annotation and never fails a value.
import type { JsonObject } from '../../base/json.js';
import { joinNames, quotedName } from './issue.js';
import { ValueSet } from './key.js';
import { type PlanBuilder, invalidKeyword } from './plan-builder.js';
import { isMultipleOf } from './multiple.js';
import { Pattern } from './pattern.js';
import { PatternError } from './pattern-parse.js';
import type { Check, SchemaWalk, SchemaVerdict } from './run.js';

export function scalarKeywords(builder: PlanBuilder): void {
  const { schema, plan } = builder;
  if (schema['type'] !== undefined) plan.any.push(typeCheck(schema['type']));
  if (Object.hasOwn(schema, 'const')) plan.any.push(enumCheck([schema['const']], builder));
  if (schema['enum'] !== undefined) plan.any.push(enumCheck(schema['enum'], builder));
  numberKeywords(builder);
  stringKeywords(builder);
}

const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

function typeCheck(type: unknown): Check<unknown> {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (!types.every((name) => TYPES.has(name))) return invalidKeyword('type');
  const wanted = new Set(types as string[]);
  if (wanted.has('number')) wanted.add('integer');
  return (value, run) => {
    if (wanted.has(typeOf(value))) return 'yes';
    return run.no(() => `must be ${joinNames(types as string[], 'or')}, is ${typeOf(value)}`, 'type');
  };
}

/** A number without a fraction is an integer, however it was written. */
function typeOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'object') return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object';
  return value === undefined ? 'missing' : 'not JSON';
}

function enumCheck(values: unknown, { fuel }: PlanBuilder): Check<unknown> {
  if (!Array.isArray(values)) return invalidKeyword('enum');
  const allowed = new ValueSet();
  for (const value of values) allowed.add(value, fuel);
  return (value, run) => {
    if (allowed.has(value, run.fuel)) return 'yes';
    return run.no(() => `must be ${joinNames(values.slice(0, ENUM_SHOWN).map(shown), 'or')}${more(values)}`, 'choice');
  };
}

const ENUM_SHOWN = 5;

function more(values: readonly unknown[]): string {
  return values.length > ENUM_SHOWN ? `, or one of ${values.length - ENUM_SHOWN} more` : '';
}

/** Values of the schema may be shown; the checked value may be a secret and is never shown. */
function shown(value: unknown): string {
  if (typeof value === 'string') return quotedName(value);
  return typeof value === 'object' && value !== null ? `a certain ${typeOf(value)}` : String(value);
}

interface Bound {
  readonly keyword: string;
  readonly fits: (value: number, limit: number) => boolean;
  readonly words: string;
}

const BOUNDS: readonly Bound[] = [
  { keyword: 'minimum', fits: (value, limit) => value >= limit, words: 'must be at least' },
  { keyword: 'maximum', fits: (value, limit) => value <= limit, words: 'must be at most' },
  { keyword: 'exclusiveMinimum', fits: (value, limit) => value > limit, words: 'must be more than' },
  { keyword: 'exclusiveMaximum', fits: (value, limit) => value < limit, words: 'must be less than' },
];

function numberKeywords({ schema, plan, resource }: PlanBuilder): void {
  for (const { keyword, fits, words } of BOUNDS) {
    const limit = resource.dialect === 'draft-04' ? draft04Limit(schema, keyword) : schema[keyword];
    if (limit === undefined) continue;
    if (typeof limit !== 'number') plan.number.push(invalidKeyword(keyword));
    else plan.number.push((value, run) => (fits(value, limit) ? 'yes' : run.no(() => `${words} ${limit}`)));
  }
  const { multipleOf } = schema;
  if (multipleOf === undefined) return;
  if (typeof multipleOf !== 'number' || multipleOf <= 0) plan.number.push(invalidKeyword('multipleOf'));
  else {
    plan.number.push((value, run) => {
      if (!Number.isSafeInteger(value) || !Number.isSafeInteger(multipleOf)) run.fuel.spend(DECIMAL_COST);
      return isMultipleOf(value, multipleOf) ? 'yes' : run.no(() => `must be a multiple of ${multipleOf}`);
    });
  }
}

const DECIMAL_COST = 1_500; // units; numbers of up to 600 digits are divided

/** In draft-04 exclusiveMinimum is a flag beside minimum. */
function draft04Limit(schema: JsonObject, keyword: string): unknown {
  const exclusive = /^exclusive(M.*)$/.exec(keyword)?.[1]?.toLowerCase();
  if (exclusive !== undefined) return schema[keyword] === true ? schema[exclusive] : undefined;
  const flag = `exclusive${keyword[0]!.toUpperCase()}${keyword.slice(1)}`;
  return schema[flag] === true ? undefined : schema[keyword];
}

function stringKeywords({ schema, plan }: PlanBuilder): void {
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined) plan.string.push(lengthCheck('minLength', minLength));
  if (maxLength !== undefined) plan.string.push(lengthCheck('maxLength', maxLength));
  if (pattern === undefined) return;
  if (typeof pattern !== 'string') {
    plan.string.push(invalidKeyword('pattern'));
    return;
  }
  const matches = patternTest(pattern);
  plan.string.push((value, run) => {
    const verdict = matches(value, run);
    return verdict === 'no' ? run.no(() => `must match the pattern ${quotedName(pattern)}`) : verdict;
  });
}

function lengthCheck(keyword: 'minLength' | 'maxLength', limit: unknown): Check<string> {
  if (typeof limit !== 'number') return invalidKeyword(keyword);
  return (value, run) => {
    // A character has one or two code units, so most texts need no counting.
    const { length } = value;
    const least = length / 2;
    let fits: boolean;
    if (keyword === 'minLength') fits = length >= limit && (least >= limit || characters(value, run) >= limit);
    else fits = length <= limit || (least <= limit && characters(value, run) <= limit);
    if (fits) return 'yes';
    return run.no(() => `must have at ${keyword === 'minLength' ? 'least' : 'most'} ${limit} characters`);
  };
}

function characters(text: string, run: SchemaWalk): number {
  run.fuel.spend(text.length >> 2);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.codePointAt(index)! > 0xffff) index++;
    count++;
  }
  return count;
}

/** Matches texts against a pattern of the schema, which is parsed at the first text. */
export function patternTest(source: string): (text: string, run: SchemaWalk) => SchemaVerdict {
  let pattern: Pattern | undefined;
  let fault: string | undefined;
  return (text, run) => {
    if (fault !== undefined) return run.unknown(fault);
    try {
      pattern ??= new Pattern(source, run.fuel);
      return pattern.matches(text, run.fuel) ? 'yes' : 'no';
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const reason = `The pattern ${quotedName(source)} ${error.message}`;
      if (pattern === undefined) fault = reason;
      return run.unknown(reason);
    }
  };
}
