import { HostError } from '../base/errors.js';
import { failed } from '../model/failed-result.js';
import { prepareSchema, type SchemaCheck } from '../model/schema/check.js';
import { Fuel } from '../model/schema/fuel.js';
import type { SchemaIssue } from '../model/schema/issue.js';
import type { CallContext, Tool, ToolDefinition, ToolHints, ToolInput, ToolResult } from '../model/tool.js';
import { type BuiltInInputs, builtInJsonSchemas } from './built-in-json-schemas.js';

/** A tool that this host brings along. */
export interface BuiltIn<Name extends keyof BuiltInInputs> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** Contract: may throw a HostError, which becomes the result. */
  run(input: BuiltInInputs[Name], context: CallContext): Promise<BuiltInAnswer>;
}

/** What a built-in tool gives: the rest of a result follows from it. */
export type BuiltInAnswer = Pick<ToolResult, 'content'> &
  Partial<Pick<ToolResult, 'outcome' | 'structuredContent' | 'notes'>>;

/** One whose definition is at hand: nobody has to be asked for it. */
export interface BuiltInTool extends Tool {
  readonly known: ToolDefinition;
}

/** The same as any other tool. It looks at what it is given by itself, also where a person has typed that. */
export function toTool<Name extends keyof BuiltInInputs>(builtIn: BuiltIn<Name>): BuiltInTool {
  const inputSchema = builtInJsonSchemas[builtIn.name];
  const check = prepareSchema(inputSchema);
  return withDefinition(
    { ...builtIn, inputSchema },
    { isOurs: true, call: (input, context) => run(builtIn, check, { input, context }) },
  );
}

/** A tool without a server, whose definition is at hand. */
export function withDefinition(
  {
    name,
    title,
    description,
    hints,
    inputSchema,
  }: Pick<ToolDefinition, 'name' | 'title' | 'description' | 'hints' | 'inputSchema'>,
  rest: Pick<Tool, 'isOurs' | 'call'>,
): BuiltInTool {
  const known: ToolDefinition = {
    name,
    title,
    description,
    inputSchema,
    outputSchema: undefined,
    hints,
    marks: NO_MARKS,
    meta: { searchHint: undefined, maxResultChars: undefined },
  };
  return {
    name,
    server: undefined,
    tool: name,
    title,
    hints,
    marks: NO_MARKS,
    load: 'always',
    known,
    definition: async () => known,
    ...rest,
  };
}

async function run<Name extends keyof BuiltInInputs>(
  builtIn: BuiltIn<Name>,
  check: SchemaCheck,
  { input, context }: { readonly input: ToolInput; readonly context: CallContext },
): Promise<ToolResult> {
  try {
    const outcome = check(input, new Fuel(CHECK_UNITS));
    if (outcome.kind !== 'valid') throw badInput(builtIn.name, outcome.kind === 'invalid' ? outcome.issues : []);
    const answer = await builtIn.run(input as BuiltInInputs[Name], context);
    return { outcome: 'ok', saved: [], notes: [], attempts: 1, ...answer };
  } catch (cause) {
    return toFailure(builtIn.name, cause);
  }
}

/** What a tool of ours has thrown, as its result. */
export function toFailure(name: string, cause: unknown): ToolResult {
  const error =
    cause instanceof HostError
      ? cause
      : new HostError('internal', `${name} failed inside Plugboard: ${String(cause)}`, { cause });
  return failed('error', error, 1);
}

function badInput(name: string, issues: readonly SchemaIssue[]): HostError {
  const told = issues.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`);
  return new HostError('bad-input', `The input of ${name} does not fit: ${told.join('; ') || 'it is too large'}`, {
    hint: 'Look at its schema and call it again',
  });
}

const CHECK_UNITS = 1_000_000; // what a model writes takes a thousandth of it
const NO_MARKS = { saysDestructive: false, alwaysLoad: true, needsUser: false, isHidden: false };
