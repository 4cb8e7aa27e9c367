import { isObject } from '../../base/json.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import type { SchemaIssue } from '../../model/schema/issue.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { JsonSchema, ToolInput, ToolResult } from '../../model/tool.js';
import type { NextStep, CallStep, ToolCall } from '../calls/pipeline.js';

/**
 * Removes arguments that are null where the schema neither allows null nor requires them: many models write null for an
 * argument that they omit. Before hooks and people see the input, because they decide about what is sent. What a person
 * typed stays as it is.
 */
export function nullsStep(
  check: (schema: JsonSchema, value: unknown) => SchemaOutcome | Promise<SchemaOutcome>,
): CallStep {
  const clean = async (call: ToolCall, next: NextStep): Promise<ToolResult> => {
    const definition = await call.tool.definition();
    const fitting = definition && (await withoutNulls(call.input, (input) => check(definition.inputSchema, input)));
    if (!fitting) return next(call);
    const result = await next({ ...call, input: fitting.input });
    return { ...result, notes: [...result.notes, toNote(fitting.left)] };
  };
  return (next) => (call) =>
    call.isTyped || call.isForced || !holdsNull(call.input, { left: LOOKED_AT }) ? next(call) : clean(call, next);
}

interface Fitting {
  readonly input: ToolInput;
  /** Paths of the removed arguments. */
  readonly left: readonly string[];
}

/** The input without nulls that break the schema; undefined where there are none, or where it stays invalid. */
async function withoutNulls(
  given: ToolInput,
  check: (input: ToolInput) => SchemaOutcome | Promise<SchemaOutcome>,
): Promise<Fitting | undefined> {
  let input = given;
  const left: string[] = [];
  for (;;) {
    const outcome = await check(input);
    if (outcome.kind !== 'invalid') return outcome.kind === 'valid' && left.length > 0 ? { input, left } : undefined;
    // A check reports only the first few issues: later ones appear when these are corrected.
    const places = nullPlaces(input, outcome.issues);
    if (places.length === 0) return undefined;
    for (const place of places) {
      input = without(input, place) as ToolInput;
      left.push(place.join('.'));
    }
  }
}

/** The paths of issues about a null that is a property of an object. */
function nullPlaces(input: ToolInput, issues: readonly SchemaIssue[]): readonly (readonly string[])[] {
  const paths = new Set(issues.map(({ path }) => path));
  return [...paths].map(toKeys).filter((keys) => {
    let value: unknown = input;
    let holder: unknown;
    for (const key of keys) {
      holder = value;
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
      value = isThere ? (value as { readonly [key: string]: unknown })[key] : undefined;
    }
    return value === null && isObject(holder);
  });
}

/** Splits a JSON pointer (RFC 6901). */
function toKeys(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? without(one, rest) : one));
  const entries = Object.entries(value as object);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? without(one, rest) : one]));
}

/** Stops after `LOOKED_AT` values: nobody writes larger input by hand. */
function holdsNull(value: unknown, room: { left: number }): boolean {
  if (value === null) return true;
  if (typeof value !== 'object' || room.left-- <= 0) return false;
  for (const key in value) if (holdsNull((value as { readonly [key: string]: unknown })[key], room)) return true;
  return false;
}

function toNote(left: readonly string[]): string {
  const names = left.slice(0, SHOWN).map((name) => `"${name}"`);
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
  const what = left.length === 1 ? 'argument was' : 'arguments were';
  return gateLine(
    `${left.length} ${what} null, which the tool does not take, and left out: ${names.join(', ')}${more}`,
    {
      limit: NOTE_LIMIT,
    },
  ).text;
}

const LOOKED_AT = 2_000; // values
const SHOWN = 10;
const NOTE_LIMIT = 500;
